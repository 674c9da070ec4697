-- Articles, their texts, and what is derived from them. Views stay when the tables behind them change.
CREATE TABLE articles (row INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, moment INTEGER,
            content BLOB NOT NULL, added INTEGER NOT NULL, title TEXT NOT NULL, published TEXT NOT NULL, source TEXT NOT NULL, author TEXT NOT NULL, location TEXT NOT NULL, language TEXT NOT NULL, url TEXT NOT NULL, agency TEXT NOT NULL);
CREATE TABLE texts (row INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE settings (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE removals (row INTEGER PRIMARY KEY, change INTEGER NOT NULL);
CREATE TABLE segments (number INTEGER PRIMARY KEY AUTOINCREMENT, slice INTEGER, first_row INTEGER NOT NULL,
            last_row INTEGER NOT NULL, articles INTEGER NOT NULL, parts TEXT NOT NULL, sums BLOB NOT NULL, content BLOB);
CREATE TABLE learnt (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE formulas (place INTEGER PRIMARY KEY, articles INTEGER NOT NULL, example TEXT NOT NULL,
            article TEXT NOT NULL, sources TEXT NOT NULL);
CREATE VIEW article AS SELECT id, text, nullif(title, '') AS title, nullif(published, '') AS published, nullif(source, '') AS source, nullif(author, '') AS author, nullif(location, '') AS location, nullif(language, '') AS language, nullif(url, '') AS url, nullif(agency, '') AS agency,
            strftime('%Y-%m-%dT%H:%M:%SZ', added / 1000000, 'unixepoch') AS added FROM articles JOIN texts USING (row);
CREATE VIEW setting AS SELECT name, value FROM settings WHERE typeof(value) <> 'blob';
CREATE VIEW segment AS SELECT number, articles, first_row, last_row,
            CASE WHEN content IS NULL THEN 'file' ELSE 'in here' END AS kept FROM segments;
CREATE VIEW formula AS SELECT articles, example, article, sources FROM formulas ORDER BY place;
PRAGMA application_id = 0x77637079;
