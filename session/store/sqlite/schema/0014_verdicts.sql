-- What was decided about each message of each request. A row is a run: the requests of one session and one purpose
-- from the first to the last that decided the same about the message, as far as their sum says that their verdicts
-- are here.
CREATE TABLE verdicts (
	id             INTEGER PRIMARY KEY,
	session        INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	purpose        TEXT    NOT NULL, -- as requests.purpose
	message        INTEGER NOT NULL,
	first_request  INTEGER NOT NULL,
	last_request   INTEGER,          -- NULL while it holds for the newest request
	position       INTEGER NOT NULL, -- of the message in the conversation, from 0
	role           TEXT    NOT NULL,
	disposition    TEXT    NOT NULL,
	level          INTEGER NOT NULL, -- of the most that was sent: 0 nothing, 1 shortened, 2 brief, 3 whole
	level_in_place INTEGER NOT NULL, -- of what stood in the message's place
	cause          TEXT    NOT NULL, -- a code with its numbers, as "user_limit have=600 want=2000 limit=600"; those of
	                                 -- over_budget and over_chars are in requests.shortfalls
	pinned         INTEGER NOT NULL,
	whole          INTEGER NOT NULL,
	recalled       INTEGER NOT NULL,
	tokens_before  INTEGER NOT NULL, -- 0 where nothing was sent, as chars_before
	tokens_after   INTEGER NOT NULL,
	chars_before   INTEGER NOT NULL, -- Unicode code points
	chars_after    INTEGER NOT NULL,
	cuts           TEXT,             -- JSON: ranges of code points that were not sent
	inserted       TEXT,             -- JSON: what stood in their place
	repairs        TEXT,             -- JSON
	UNIQUE (session, message, first_request)
) STRICT;
ALTER TABLE requests ADD COLUMN sum TEXT; -- JSON: where the tokens went; NULL where its verdicts are not rows
ALTER TABLE requests ADD COLUMN added TEXT; -- JSON: texts that nobody said
ALTER TABLE requests ADD COLUMN shortfalls TEXT; -- JSON: runs of messages with what they needed, and what was left for them
ALTER TABLE requests ADD COLUMN entries INTEGER NOT NULL DEFAULT 0; -- how many messages have a verdict
-- requests.plan stays for records of before this step that cannot be read.
CREATE INDEX requests_purpose ON requests (session, purpose) WHERE sum IS NOT NULL;
