-- Conversations, what was sent for them, and what winnow learned on the way.
--
-- Times are Unix milliseconds, UTC. What a person, a model or a tool said is stored as bytes (BLOB),
-- because it may hold NUL or invalid UTF-8. Every table has an integer key, so that a damaged file
-- can be read by ranges of keys around the damage.

CREATE TABLE sessions (
	n          INTEGER PRIMARY KEY,           -- the short key that other tables use
	id         TEXT    NOT NULL UNIQUE,       -- UUIDv7, what the user sees
	created_ms INTEGER NOT NULL,
	updated_ms INTEGER NOT NULL,
	used       INTEGER NOT NULL,              -- order of last use; never falls, even when the clock does
	leaf       INTEGER NOT NULL DEFAULT 0,    -- newest message of the active branch, 0 for none
	parent     TEXT    NOT NULL DEFAULT '',   -- session it was forked from
	forked_at  INTEGER NOT NULL DEFAULT 0,    -- message it was forked at
	pinned     INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
	archived   INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
	deleted_ms INTEGER NOT NULL DEFAULT 0,    -- when it went to the trash, 0 for not
	messages   INTEGER NOT NULL DEFAULT 0,    -- rows of messages, every branch
	turns      INTEGER NOT NULL DEFAULT 0,    -- those of them that the user wrote
	title      TEXT    NOT NULL DEFAULT '',
	title_from TEXT    NOT NULL DEFAULT '' CHECK (title_from IN ('', 'auto', 'user')),
	endpoint   TEXT    NOT NULL DEFAULT '',
	model      TEXT    NOT NULL DEFAULT '',
	preset     TEXT    NOT NULL DEFAULT '',
	dir        TEXT    NOT NULL DEFAULT '',   -- working directory it was begun in
	overrides  TEXT    NOT NULL DEFAULT '',   -- TOML of the policy keys it overrides
	system     TEXT    NOT NULL DEFAULT ''    -- its system prompt, '' for the configured one
) STRICT;

CREATE INDEX sessions_used ON sessions (used);
CREATE INDEX sessions_list ON sessions (pinned DESC, used DESC) WHERE deleted_ms = 0 AND archived = 0;

CREATE TABLE tags (
	id      INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	tag     TEXT    NOT NULL,
	UNIQUE (session, tag)
) STRICT;

-- A message is never changed once it is whole. Its parent is always older, so a branch has no loop.
-- The large columns stand last: reading the small ones then never touches overflow pages.
CREATE TABLE messages (
	id            INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, even after a purge
	session       INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	seq           INTEGER NOT NULL,                  -- its place in the session, from 1, every branch
	parent        INTEGER NOT NULL DEFAULT 0,        -- message before it on its branch, 0 for the first
	role          TEXT    NOT NULL,
	status        TEXT    NOT NULL,
	created_ms    INTEGER NOT NULL,
	calls         INTEGER NOT NULL DEFAULT 0,        -- rows of tool_calls
	parts         INTEGER NOT NULL DEFAULT 0,        -- rows of parts
	tokens        INTEGER NOT NULL DEFAULT 0,        -- of content, 0 for not counted
	tokenizer     TEXT    NOT NULL DEFAULT '',       -- who counted them
	request       INTEGER NOT NULL DEFAULT 0,        -- request that asked for it, 0 for none
	owner         TEXT    NOT NULL DEFAULT '',       -- who streams it, or streamed it when it was cut off
	endpoint      TEXT    NOT NULL DEFAULT '',
	model         TEXT    NOT NULL DEFAULT '',
	finish_reason TEXT    NOT NULL DEFAULT '',
	label         TEXT    NOT NULL DEFAULT '',       -- its id in the file it was imported from
	name          BLOB    NOT NULL DEFAULT x'',
	tool_call_id  BLOB    NOT NULL DEFAULT x'',      -- as received
	hash          BLOB    NOT NULL,                  -- SHA-256 of what was said, with calls and parts
	extra         BLOB,                              -- unknown keys of the reply, raw JSON
	reasoning     BLOB    NOT NULL DEFAULT x'',
	content       BLOB    NOT NULL DEFAULT x'',
	UNIQUE (session, seq),
	CHECK (parent >= 0 AND parent < id)
) STRICT;

CREATE INDEX messages_parent ON messages (session, parent);
CREATE INDEX messages_streaming ON messages (owner) WHERE status = 'streaming';

CREATE TABLE tool_calls (
	id        INTEGER PRIMARY KEY,
	message   INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
	place     INTEGER NOT NULL,  -- from 0
	call_id   BLOB    NOT NULL,  -- all three as received, never encoded again
	name      BLOB    NOT NULL,
	arguments BLOB    NOT NULL,
	UNIQUE (message, place)
) STRICT;

-- The bytes of images and attached files, each stored once.
CREATE TABLE attachments (
	id   INTEGER PRIMARY KEY,
	hash BLOB NOT NULL UNIQUE,   -- SHA-256 of data
	data BLOB NOT NULL
) STRICT;

CREATE TABLE parts (
	id         INTEGER PRIMARY KEY,
	message    INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
	place      INTEGER NOT NULL, -- from 0
	kind       TEXT    NOT NULL,
	name       TEXT    NOT NULL,
	media_type TEXT    NOT NULL,
	tokens     INTEGER NOT NULL,
	attachment INTEGER NOT NULL REFERENCES attachments (id),
	UNIQUE (message, place)
) STRICT;

CREATE INDEX parts_attachment ON parts (attachment);

-- One row per request that was sent. The plan names messages and ranges; it holds no text of them.
CREATE TABLE requests (
	id               INTEGER PRIMARY KEY AUTOINCREMENT,
	session          INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	turn             INTEGER NOT NULL,
	user             INTEGER NOT NULL, -- message that it answers
	created_ms       INTEGER NOT NULL,
	endpoint         TEXT    NOT NULL,
	model            TEXT    NOT NULL,
	rules            INTEGER NOT NULL,
	tokenizer        TEXT    NOT NULL,
	estimate         INTEGER NOT NULL, -- counted tokens
	body_hash        TEXT    NOT NULL, -- SHA-256 of the body, which holds no secret
	prompt_tokens    INTEGER NOT NULL, -- as reported, -1 for not said; so are the next three
	cached_tokens    INTEGER NOT NULL,
	answer_tokens    INTEGER NOT NULL,
	reasoning_tokens INTEGER NOT NULL,
	first_token_us   INTEGER NOT NULL, -- microseconds, 0 for none
	took_us          INTEGER NOT NULL,
	retries          INTEGER NOT NULL,
	finish           TEXT    NOT NULL,
	ended            TEXT    NOT NULL, -- '' while it runs, and after a crash
	error            TEXT    NOT NULL,
	options          BLOB,             -- JSON: what decided the plan beside the messages
	plan             BLOB              -- JSON
) STRICT;

CREATE INDEX requests_turn ON requests (session, turn);

-- What was mended on the way to a model. Deleting this table changes nothing else.
CREATE TABLE repairs (
	id          INTEGER PRIMARY KEY,
	message     INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
	kind        TEXT    NOT NULL,
	before_hash BLOB    NOT NULL, -- SHA-256 of the damaged bytes
	what        TEXT    NOT NULL, -- a sentence for the user
	sent        BLOB    NOT NULL, -- what is sent instead
	rules       INTEGER NOT NULL,
	first_ms    INTEGER NOT NULL,
	last_ms     INTEGER NOT NULL,
	undone      INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1)),
	UNIQUE (message, kind, before_hash)
) STRICT;

CREATE TABLE flags (
	message    INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
	flag       TEXT    NOT NULL CHECK (flag IN ('pin', 'exclude')),
	created_ms INTEGER NOT NULL
) STRICT;

-- What winnow learned about a model behind a base URL.
CREATE TABLE endpoints (
	id         INTEGER PRIMARY KEY,
	base_url   TEXT    NOT NULL,
	model      TEXT    NOT NULL,
	window     INTEGER NOT NULL,  -- tokens, 0 unknown
	ratio      REAL    NOT NULL,  -- the server's tokens per counted token, 0 unknown
	samples    INTEGER NOT NULL,
	quirks     TEXT    NOT NULL,  -- JSON array of names
	updated_ms INTEGER NOT NULL,
	UNIQUE (base_url, model)
) STRICT;

CREATE TABLE prompts (
	id         INTEGER PRIMARY KEY,
	created_ms INTEGER NOT NULL,
	text       BLOB    NOT NULL
) STRICT;

CREATE TABLE drafts (
	session    INTEGER PRIMARY KEY, -- 0 is the chat that has not begun
	updated_ms INTEGER NOT NULL,
	text       BLOB    NOT NULL
) STRICT;
