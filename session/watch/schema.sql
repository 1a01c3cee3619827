-- The tables of recorded requests. In STRICT tables, a value has the type of its column.

-- A part of the body of a request. Bodies that begin alike have spans in common.
CREATE TABLE span (
	id   INTEGER PRIMARY KEY,
	hash TEXT NOT NULL UNIQUE, -- SHA-256 of the unpacked data in hexadecimal digits
	data BLOB NOT NULL         -- zstd
) STRICT;

-- What lists show comes first, because SQLite reads a long row only as far as necessary.
CREATE TABLE request (
	id      INTEGER PRIMARY KEY AUTOINCREMENT,
	pinned  INTEGER NOT NULL DEFAULT 0,
	facts   TEXT NOT NULL DEFAULT '{}', -- Request as JSON
	outline TEXT NOT NULL,              -- by which later requests are compared with it, as JSON
	spans   TEXT NOT NULL,              -- the ids of the spans that make up the body, as a JSON list
	answer  BLOB NOT NULL DEFAULT x''   -- zstd
) STRICT;
CREATE INDEX request_client ON request (facts ->> 'Client');
CREATE INDEX request_thread ON request (facts ->> 'Client', facts ->> 'Thread');

-- The spans of each request, in the order of place.
CREATE VIEW part AS
	SELECT request.id AS request, key AS place, span.id AS span, span.data
	FROM request
	JOIN json_each(request.spans)
	JOIN span ON span.id = value;

-- The requests that are deleted next while the file holds too much: one in twenty.
CREATE VIEW oldest AS
	SELECT id
	FROM request
	WHERE NOT pinned
	ORDER BY id
	LIMIT 1 + (SELECT count(*) FROM request) / 20;

-- Single values.
CREATE TABLE fact (
	name  TEXT PRIMARY KEY,
	value ANY NOT NULL
) STRICT;
INSERT INTO fact
VALUES
	('changes', 0),                     -- number of transactions
	('lost', 0),                        -- number of requests that could not be recorded
	('agreed', 0),                      -- 1 if tokens of subscriptions may be forwarded
	('run', lower(hex(randomblob(16)))); -- the random part of the addresses that clients are set to
