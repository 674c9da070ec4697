-- What articles share and the stories that this makes, all of it derived, but for which stories those that have expired began: see told.py.
CREATE TABLE matches (query INTEGER NOT NULL, found INTEGER NOT NULL, relation TEXT, query_covered REAL NOT NULL, found_covered REAL NOT NULL,
            resemblance REAL NOT NULL, nominated INTEGER NOT NULL, passages BLOB NOT NULL, sum INTEGER NOT NULL, PRIMARY KEY (query, found)) WITHOUT ROWID;
CREATE INDEX matches_found ON matches (found);
CREATE TABLE members (row INTEGER PRIMARY KEY, story INTEGER NOT NULL, version INTEGER NOT NULL, number INTEGER NOT NULL, words INTEGER NOT NULL,
            kind TEXT, parent INTEGER, relation TEXT, covered REAL, parent_covered REAL, shared INTEGER, basis TEXT, rivals INTEGER, sum INTEGER NOT NULL);
CREATE INDEX members_story ON members (story);
CREATE TABLE links (later INTEGER NOT NULL, earlier INTEGER NOT NULL, kind TEXT NOT NULL, articles INTEGER NOT NULL, words INTEGER NOT NULL,
            sum INTEGER NOT NULL, PRIMARY KEY (later, earlier, kind)) WITHOUT ROWID;
CREATE INDEX links_earlier ON links (earlier);
CREATE TABLE former (id TEXT PRIMARY KEY, line INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX former_line ON former (line);
CREATE TABLE heirs (line INTEGER NOT NULL, row INTEGER NOT NULL, PRIMARY KEY (line, row)) WITHOUT ROWID;
CREATE INDEX heirs_row ON heirs (row);
CREATE VIEW story AS SELECT first.id AS id, nullif(first.title, '') AS title, coalesce(anchor.kind, 'story') AS kind, told.articles AS articles,
            told.versions AS versions, (SELECT count(DISTINCT nullif(source, '')) FROM members JOIN articles USING (row) WHERE story = anchor.story) AS sources,
            CASE WHEN first.moment IS NOT NULL THEN first.published END AS first_seen,
            (SELECT published FROM members JOIN articles USING (row) WHERE story = anchor.story AND moment IS NOT NULL ORDER BY moment DESC, id DESC LIMIT 1) AS last_seen
            FROM (SELECT story, count(*) AS articles, count(DISTINCT version) AS versions FROM members GROUP BY story HAVING count(*) > 1) AS told
            JOIN members AS anchor ON anchor.row = told.story JOIN articles AS first ON first.row = told.story
            ORDER BY first.moment IS NULL, first.moment, first.id;
CREATE VIEW version AS SELECT first.id AS story, number, article.id AS article, CASE WHEN article.moment IS NOT NULL THEN article.published END AS seen,
            nullif(article.source, '') AS source, earlier.id AS parent, relation, covered, parent_covered, shared AS words, basis, rivals
            FROM members JOIN articles AS article USING (row) JOIN articles AS first ON first.row = story LEFT JOIN articles AS earlier ON earlier.row = parent
            WHERE story IN (SELECT story FROM members GROUP BY story HAVING count(*) > 1)
            ORDER BY first.moment IS NULL, first.moment, first.id, article.moment IS NULL, article.moment, article.id;
CREATE VIEW link AS SELECT one.id AS later, other.id AS earlier, kind, articles, words
            FROM links JOIN articles AS one ON one.row = later JOIN articles AS other ON other.row = earlier
            ORDER BY one.moment IS NULL, one.moment, one.id, other.moment IS NULL, other.moment, other.id, kind;
