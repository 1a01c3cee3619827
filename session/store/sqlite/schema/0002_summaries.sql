-- Texts that stand for the oldest messages of a branch in a request. The messages stay as they are.
CREATE TABLE summaries (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	session    INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	first      INTEGER NOT NULL, -- oldest message that it stands for
	last       INTEGER NOT NULL, -- newest message that it stands for
	messages   INTEGER NOT NULL, -- how many they are
	created_ms INTEGER NOT NULL,
	endpoint   TEXT    NOT NULL, -- who wrote it
	model      TEXT    NOT NULL,
	text       BLOB    NOT NULL
) STRICT;

CREATE INDEX summaries_session ON summaries (session);
