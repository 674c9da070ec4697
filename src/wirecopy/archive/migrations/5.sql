-- What is not derived from articles: who may use the service, what people judge, and who is told of what. See desk.py.
CREATE TABLE tokens (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, hash BLOB NOT NULL UNIQUE, scopes TEXT NOT NULL,
            made INTEGER NOT NULL, expires INTEGER, revoked INTEGER);
CREATE TABLE sessions (hash BLOB PRIMARY KEY, token INTEGER NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE requests (token INTEGER NOT NULL, key TEXT NOT NULL, digest BLOB NOT NULL, made INTEGER NOT NULL, status INTEGER, content BLOB,
            PRIMARY KEY (token, key)) WITHOUT ROWID;
CREATE TABLE queues (number INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, task TEXT NOT NULL, made INTEGER NOT NULL);
CREATE TABLE queued (queue INTEGER NOT NULL, place INTEGER NOT NULL, query TEXT NOT NULL, found TEXT NOT NULL, "group" TEXT NOT NULL,
            nominated TEXT NOT NULL, PRIMARY KEY (queue, place)) WITHOUT ROWID;
CREATE UNIQUE INDEX queued_pair ON queued (queue, query, found);
CREATE TABLE judgements (number INTEGER PRIMARY KEY AUTOINCREMENT, queue INTEGER NOT NULL, query TEXT NOT NULL, found TEXT NOT NULL,
            "group" TEXT NOT NULL, judge TEXT NOT NULL, label TEXT NOT NULL, made INTEGER NOT NULL, undone INTEGER);
CREATE UNIQUE INDEX judgements_standing ON judgements (queue, query, found, judge) WHERE undone IS NULL;
CREATE INDEX judgements_judge ON judgements (queue, judge) WHERE undone IS NULL;
CREATE TABLE webhooks (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, url TEXT NOT NULL, secret TEXT NOT NULL,
            policy TEXT NOT NULL, made INTEGER NOT NULL, disabled INTEGER, reason TEXT NOT NULL DEFAULT '');
CREATE TABLE messages (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, webhook INTEGER NOT NULL, kind TEXT NOT NULL,
            made INTEGER NOT NULL, payload TEXT NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, due INTEGER, tried INTEGER,
            status INTEGER, error TEXT NOT NULL DEFAULT '');
CREATE INDEX messages_due ON messages (webhook, due) WHERE state = 'waiting';
CREATE INDEX messages_state ON messages (state, webhook);
CREATE TABLE mentions (article TEXT NOT NULL, message INTEGER NOT NULL, PRIMARY KEY (article, message)) WITHOUT ROWID;
CREATE INDEX mentions_message ON mentions (message);
CREATE VIEW token AS SELECT number, name, scopes, strftime('%Y-%m-%dT%H:%M:%SZ', made / 1000000, 'unixepoch') AS made,
            strftime('%Y-%m-%dT%H:%M:%SZ', expires / 1000000, 'unixepoch') AS expires, revoked IS NOT NULL AS revoked FROM tokens;
CREATE VIEW judgement AS SELECT queues.name AS queue, query, found, "group", judge, label,
            strftime('%Y-%m-%dT%H:%M:%SZ', judgements.made / 1000000, 'unixepoch') AS at
            FROM judgements JOIN queues ON queues.number = queue WHERE undone IS NULL AND label <> '' ORDER BY judgements.number;
CREATE VIEW message AS SELECT messages.id AS id, webhooks.id AS webhook, kind, state, attempts, status, error,
            strftime('%Y-%m-%dT%H:%M:%SZ', messages.made / 1000000, 'unixepoch') AS made
            FROM messages JOIN webhooks ON webhooks.number = webhook ORDER BY messages.number;
