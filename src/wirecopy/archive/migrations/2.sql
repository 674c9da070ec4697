-- Which form the checksum of an article has: see digests.py.
ALTER TABLE articles ADD COLUMN content_form INTEGER NOT NULL DEFAULT 1;
