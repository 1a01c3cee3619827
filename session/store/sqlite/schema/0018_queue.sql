-- Messages that the user queued while an answer arrived, in the order of their ids, which is the order in which
-- they are sent. The row goes in the transaction that stores its message.
CREATE TABLE queued (
	id         INTEGER PRIMARY KEY,
	session    INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	created_ms INTEGER NOT NULL,
	text       BLOB    NOT NULL, -- as it is sent
	parts      BLOB    NOT NULL, -- the files that are sent with it: a JSON array, their bytes in base64
	draft      BLOB    NOT NULL, -- the text as it was in the composer
	folds      BLOB    NOT NULL, -- what of the draft was folded: a JSON array as in drafts.files, files without a path too
	alone      INTEGER NOT NULL, -- 1 where it is sent without the conversation before it
	cut        INTEGER NOT NULL  -- 1 where it is sent cut if it does not fit whole
) STRICT;

CREATE INDEX queued_session ON queued (session);
