-- What this history shares with those of other machines through a folder. Each machine writes segments, and a row stands
-- in one under the number that it has at the machine that wrote it.
CREATE TABLE sync_machine (
	id        INTEGER PRIMARY KEY CHECK (id = 1),
	machine   TEXT    NOT NULL, -- the name of its folder
	place     TEXT    NOT NULL, -- which file on which host this is: a copy of it is another machine
	name      TEXT    NOT NULL, -- of the host, for people
	clock     INTEGER NOT NULL, -- a Lamport counter: greater than any that was seen
	next      INTEGER NOT NULL, -- number of the next segment
	messages  INTEGER NOT NULL, -- newest message that is in sync_rows or another machine's, and so on
	requests  INTEGER NOT NULL,
	summaries INTEGER NOT NULL
) STRICT;

CREATE TABLE sync_segments (
	number INTEGER PRIMARY KEY,
	seen   TEXT    NOT NULL, -- JSON: which segment of each other machine was merged last when this one was made
	sum    BLOB,             -- SHA-256 of the file, NULL where it is to be written
	size   INTEGER NOT NULL  -- of the file
) STRICT;

-- Which sessions the segments of this machine name: when one is purged, they are written again without it.
CREATE TABLE sync_parts (
	id      INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	segment INTEGER NOT NULL,
	UNIQUE (session, segment)
) STRICT;

-- Which rows the segments of this machine have, as runs of numbers.
CREATE TABLE sync_rows (
	id      INTEGER PRIMARY KEY,
	segment INTEGER NOT NULL, -- 0 is none yet
	kind    TEXT    NOT NULL, -- message, request, summary
	first   INTEGER NOT NULL,
	last    INTEGER NOT NULL,
	UNIQUE (kind, first)
) STRICT;

CREATE INDEX sync_rows_segment ON sync_rows (segment);

-- The numbers that rows of other machines have here, as runs.
CREATE TABLE sync_ids (
	id      INTEGER PRIMARY KEY,
	machine TEXT    NOT NULL,
	kind    TEXT    NOT NULL,
	first   INTEGER NOT NULL, -- there
	last    INTEGER NOT NULL,
	here    INTEGER NOT NULL, -- the number of first here
	segment INTEGER NOT NULL, -- the segment of this machine that tells the others, 0 for none yet
	UNIQUE (machine, kind, first)
) STRICT;

CREATE INDEX sync_ids_here ON sync_ids (machine, kind, here);
CREATE INDEX sync_ids_segment ON sync_ids (segment);

-- Who set a value last, of those that can differ between machines.
CREATE TABLE sync_stamps (
	id       INTEGER PRIMARY KEY,
	session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	item     INTEGER NOT NULL, -- a message or a request, 0 for the session itself
	name     TEXT    NOT NULL, -- of the value; '' is the session with the values that it began with
	counter  INTEGER NOT NULL, -- of the machine's clock
	machine  TEXT    NOT NULL,
	number   INTEGER NOT NULL, -- of that machine's segment that has the value
	segment  INTEGER NOT NULL, -- the same where the machine is this one, -1 for none yet; 0 where it is another
	UNIQUE (session, item, name)
) STRICT;

CREATE INDEX sync_stamps_segment ON sync_stamps (segment) WHERE segment <> 0;

-- What changed here and has no stamp yet.
CREATE TABLE sync_changes (
	id      INTEGER PRIMARY KEY,
	session INTEGER NOT NULL,
	item    INTEGER NOT NULL,
	name    TEXT    NOT NULL,
	UNIQUE (session, item, name) ON CONFLICT IGNORE
) STRICT;

CREATE TABLE sync_others (
	id      INTEGER PRIMARY KEY,
	machine TEXT    NOT NULL UNIQUE,
	name    TEXT    NOT NULL,
	merged  INTEGER NOT NULL, -- number of its newest segment that is merged
	last_ms INTEGER NOT NULL  -- when it wrote that
) STRICT;

-- Sessions that were purged on one of the machines, for ever.
CREATE TABLE sync_purged (
	id      INTEGER PRIMARY KEY,
	session TEXT    NOT NULL UNIQUE,
	machine TEXT    NOT NULL,
	segment INTEGER NOT NULL -- as in sync_stamps
) STRICT;

-- What this machine was called before its file was restored from a backup. It goes on taking what was purged out of the
-- segments that it wrote under that name.
CREATE TABLE sync_former (
	id      INTEGER PRIMARY KEY,
	machine TEXT    NOT NULL UNIQUE,
	purged  INTEGER NOT NULL -- how many purged sessions were known when that was done last
) STRICT;

-- Values that were set on two machines at once, as far as they were not kept.
CREATE TABLE sync_lost (
	id      INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	item    INTEGER NOT NULL,
	name    TEXT    NOT NULL,
	value   TEXT    NOT NULL, -- of leaf: the message at the end of the other branch
	machine TEXT    NOT NULL,
	counter INTEGER NOT NULL,
	at_ms   INTEGER NOT NULL
) STRICT;

CREATE INDEX sync_lost_session ON sync_lost (session);
