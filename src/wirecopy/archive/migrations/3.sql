-- A checksum of an article's row, id and moment, which its content leaves out; none in rows that are older: see digests.py.
ALTER TABLE articles ADD COLUMN sum INTEGER;
