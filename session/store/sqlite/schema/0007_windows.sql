-- Which session stands open in which window. A row of an owner that is gone means nothing.
CREATE TABLE windows (
	id       INTEGER PRIMARY KEY,
	session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	owner    TEXT    NOT NULL, -- as messages.owner
	since_ms INTEGER NOT NULL,
	UNIQUE (session, owner)
) STRICT;

-- The files that hang on an unsent draft, as a JSON array of paths.
ALTER TABLE drafts ADD COLUMN files TEXT NOT NULL DEFAULT '[]';
