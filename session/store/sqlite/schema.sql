-- Conversations, the requests that were sent for them, and what winnow learned about models.
--
-- Times are Unix milliseconds, UTC. Texts of people, models and tools are stored as BLOB,
-- because they may contain NUL or invalid UTF-8. Every table has an integer key, so that the rows of
-- a damaged file can be read in ranges around the damage.

CREATE TABLE sessions (
	n            INTEGER PRIMARY KEY AUTOINCREMENT, -- the short key that other tables use, never reused
	id           TEXT    NOT NULL UNIQUE CHECK (length(id) BETWEEN 1 AND 64),
	                                            -- as the user sees it: UUIDv7, or UUIDv5 of an import's origin
	created_ms   INTEGER NOT NULL,
	updated_ms   INTEGER NOT NULL,
	used         INTEGER NOT NULL,              -- order of last use; it never decreases, unlike the clock
	leaf         INTEGER NOT NULL DEFAULT 0,    -- newest message of the active branch, 0 for none
	parent       TEXT    NOT NULL DEFAULT '',   -- session it was forked from
	forked_at    INTEGER NOT NULL DEFAULT 0,    -- message it was forked at
	pinned       INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1)),
	archived     INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
	deleted_ms   INTEGER NOT NULL DEFAULT 0,    -- when it was moved to the trash, 0 if it was not
	messages     INTEGER NOT NULL DEFAULT 0,    -- number of messages on all branches
	turns        INTEGER NOT NULL DEFAULT 0,    -- number of user messages on all branches
	changes      INTEGER NOT NULL DEFAULT 0,    -- incremented by each change, so that a window notices the
	                                            -- changes of another one
	title        TEXT    NOT NULL DEFAULT '',
	title_from   TEXT    NOT NULL DEFAULT '' CHECK (title_from IN ('', 'auto', 'user')),
	source       TEXT    NOT NULL DEFAULT '',   -- of an imported session: chatgpt, llm, winnow; else ''
	origin       TEXT    NOT NULL DEFAULT '',   -- its id there, from which id is derived
	endpoint     TEXT    NOT NULL DEFAULT '',
	address      TEXT    NOT NULL DEFAULT '',   -- base URL of the endpoint, without user, password and query; '' before
	                                            -- the first request. Later the name may stand for another server
	model        TEXT    NOT NULL DEFAULT '',
	preset       TEXT    NOT NULL DEFAULT '',   -- set for this session, '' for the configured one
	dir          TEXT    NOT NULL DEFAULT '',   -- working directory in which it was started
	overrides    TEXT    NOT NULL DEFAULT '',   -- TOML: the keys of [context] that are set for this session
	system       TEXT    NOT NULL DEFAULT '',   -- its system prompt, '' for the configured one unless system_fixed is 1
	system_fixed INTEGER NOT NULL DEFAULT 0,    -- 1 once its first request fixed the system prompt
	tags         TEXT                           -- a JSON array of texts in order
) STRICT;

CREATE INDEX sessions_used ON sessions (used);
CREATE INDEX sessions_list ON sessions (pinned DESC, used DESC);

-- A finished message never changes. Its parent is always older, so a branch has no loop. The large columns are
-- last, so that reading the small ones does not touch overflow pages.
CREATE TABLE messages (
	id            INTEGER PRIMARY KEY,               -- global: time in ms << 12 | number of the machine
	session       INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	seq           INTEGER NOT NULL,                  -- position in the session across all branches, from 1
	parent        INTEGER NOT NULL DEFAULT 0,        -- message before it on its branch, 0 for the first
	role          TEXT    NOT NULL,
	status        TEXT    NOT NULL,
	created_ms    INTEGER NOT NULL,
	tokens        INTEGER NOT NULL DEFAULT 0,        -- of content, 0 for not counted
	tokenizer     TEXT    NOT NULL DEFAULT '',       -- the tokenizer that counted them
	request       INTEGER NOT NULL DEFAULT 0,        -- request that asked for it, 0 for none
	alone         INTEGER NOT NULL DEFAULT 0,        -- 1 for a user message that is sent without those before it
	owner         TEXT    NOT NULL DEFAULT '',       -- token of the window that streams or streamed it
	endpoint      TEXT    NOT NULL DEFAULT '',
	model         TEXT    NOT NULL DEFAULT '',
	finish_reason TEXT    NOT NULL DEFAULT '',
	label         TEXT    NOT NULL DEFAULT '',       -- its id in the file it was imported from
	name          BLOB    NOT NULL DEFAULT x'',
	tool_call_id  BLOB    NOT NULL DEFAULT x'',      -- as received
	hash          BLOB    NOT NULL,                  -- SHA-256 of the content, tool calls and parts
	tool_calls    TEXT,                              -- JSON: an array of objects with call_id, name and arguments, each as
	                                                 -- received; {"base64": …} where that is not UTF-8
	parts         TEXT,                              -- JSON: an array of objects with kind, name, media_type, tokens and
	                                                 -- hash, that of attachments
	extra         BLOB    NOT NULL DEFAULT x'',      -- unknown keys of the reply, raw JSON
	reasoning     BLOB    NOT NULL DEFAULT x'',
	content       BLOB    NOT NULL DEFAULT x'',
	UNIQUE (session, seq),
	CHECK (parent >= 0 AND parent < id)
) STRICT;

CREATE INDEX messages_parent ON messages (session, parent);
CREATE INDEX messages_turns ON messages (session, seq) WHERE role = 'user';
CREATE INDEX messages_parts ON messages (session) WHERE parts IS NOT NULL;
CREATE INDEX messages_streaming ON messages (owner) WHERE status = 'streaming';

-- Messages with derived columns, as they are read.
CREATE VIEW placed_messages AS
SELECT
	m.*,
	(SELECT s.id FROM sessions s WHERE s.n = m.session) AS session_id,
	coalesce((
		SELECT r.value ->> '$' FROM registers r WHERE r.session = m.session AND r.item = m.id AND r.name = 'fault'
	), '') AS fault,                                 -- why the turn after it failed
	(
		SELECT count(*) FROM messages x WHERE x.session = m.session AND x.parent = m.parent
	) AS siblings,                                   -- messages that share its parent, itself included
	(
		SELECT count(*) FROM messages x WHERE x.session = m.session AND x.parent = m.parent AND x.id <= m.id
	) AS sibling                                     -- position among them, from 1
FROM messages m;

-- Columns of sessions that follow from other rows, so that they are the same on every machine with the same rows. The
-- active branch ends at the newest message, unless the user has chosen another leaf since that message was written.
CREATE VIEW settled_sessions AS
SELECT
	s.n,
	(SELECT count(*) FROM messages m WHERE m.session = s.n) AS messages,
	(SELECT count(*) FROM messages m WHERE m.session = s.n AND m.role = 'user') AS turns,
	coalesce((
		SELECT r.leaf
		FROM (SELECT session, id, coalesce(value ->> '$.leaf', 0) AS leaf FROM registers WHERE item = 0 AND name = 'leaf') r
		WHERE r.session = s.n
			AND r.id > s.newest
			AND (r.leaf = 0 OR r.leaf IN (SELECT m.id FROM messages m WHERE m.session = s.n))
	), s.newest) AS leaf
FROM (
	SELECT n, (SELECT coalesce(max(m.id), 0) FROM messages m WHERE m.session = sessions.n) AS newest
	FROM sessions
) s;

-- User messages with a sibling that was written on another machine: the user continued the session on both.
CREATE VIEW diverged_messages AS
SELECT
	m.id,
	m.session
FROM messages m
JOIN messages o ON o.session = m.session AND o.parent = m.parent
WHERE m.parent <> 0
	AND m.id & 4095 <> o.id & 4095
	AND m.role = 'user' AND o.role = 'user'
	AND m.status <> 'imported' AND o.status <> 'imported';

-- The bytes of images and attached files, each stored once.
CREATE TABLE attachments (
	id   INTEGER PRIMARY KEY,
	hash TEXT NOT NULL UNIQUE    -- hex SHA-256 of data
	          CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
	data BLOB NOT NULL
) STRICT;

-- The hashes of the attachments that messages have.
CREATE VIEW attached AS
SELECT
	m.id AS message,
	p.value ->> 'hash' AS hash
FROM messages m
CROSS JOIN json_each(iif(json_valid(m.parts), m.parts, '[]')) p
WHERE m.parts IS NOT NULL;

-- One row per request that was sent. The table verdicts has what was decided about each message.
CREATE TABLE requests (
	id                 INTEGER PRIMARY KEY,
	session            INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	turn               INTEGER NOT NULL,
	user               INTEGER NOT NULL,            -- message that it answers
	purpose            TEXT    NOT NULL DEFAULT '', -- '' for an answer; winnow itself sends summary and title
	created_ms         INTEGER NOT NULL,
	endpoint           TEXT    NOT NULL,
	model              TEXT    NOT NULL,
	rules              INTEGER NOT NULL,            -- version of the rules that decided what is sent
	tokenizer          TEXT    NOT NULL,
	estimate           INTEGER NOT NULL,            -- counted tokens
	body_hash          TEXT    NOT NULL,            -- SHA-256 of the body, which holds no secret
	prompt_tokens      INTEGER NOT NULL,            -- as reported, -1 if not; likewise the next three
	cached_tokens      INTEGER NOT NULL,
	answer_tokens      INTEGER NOT NULL,
	reasoning_tokens   INTEGER NOT NULL,
	cache_write_tokens INTEGER NOT NULL DEFAULT 0,  -- written to the server's cache as reported, 0 for none or not said
	cut_expected       INTEGER NOT NULL DEFAULT 0,  -- what the server was expected to count, where prompt_tokens is
	                                                -- so much less that it did not read the whole request; else 0
	cost_nano          INTEGER NOT NULL DEFAULT 0,  -- billionths of a US dollar, 0 where cost_from knows none
	cost_from          TEXT    NOT NULL DEFAULT '', -- server, prices, estimate, unknown; '' is nothing to say
	price_source       TEXT    NOT NULL DEFAULT '', -- whose prices the cost was computed from, for people; '' where the
	                                                -- server said the cost or nothing is known
	reusable_tokens    INTEGER NOT NULL DEFAULT 0,  -- those at its beginning that the request before it began with
	                                                -- too, as the server counts; 0 for none or not known
	reusable_ns        INTEGER NOT NULL DEFAULT 0,  -- nanoseconds since that request
	first_token_ns     INTEGER NOT NULL,            -- nanoseconds, 0 for none
	took_ns            INTEGER NOT NULL,
	retries            INTEGER NOT NULL,
	finish             TEXT    NOT NULL,
	ended              TEXT    NOT NULL,            -- '' while it runs, and after a crash
	error              TEXT    NOT NULL,
	fault              TEXT    NOT NULL DEFAULT '', -- JSON: why its turn failed with it, '' if it did not
	options            BLOB    NOT NULL DEFAULT x'', -- JSON: what decided the plan besides the messages
	sum                TEXT,                        -- JSON: where the tokens went
	tally              TEXT,                        -- JSON: how many messages have which verdict
	added              TEXT                         -- JSON: texts that winnow added
) STRICT;

CREATE INDEX requests_turn ON requests (session, turn);
CREATE INDEX requests_purpose ON requests (session, purpose);

-- A covering index for the sums of winnow usage.
CREATE INDEX requests_usage ON requests (
	created_ms, endpoint, model, purpose, cost_from, cost_nano,
	prompt_tokens, cached_tokens, cache_write_tokens, answer_tokens, reasoning_tokens, session
);

-- The verdict on each message in each request. A row applies to its first request and the following ones with the same
-- session, purpose and machine (the lowest 12 bits of their ids), until the next row of the message.
CREATE TABLE verdicts (
	id             INTEGER PRIMARY KEY,
	session        INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	purpose        TEXT    NOT NULL, -- as requests.purpose
	message        INTEGER NOT NULL,
	first_request  INTEGER NOT NULL,
	disposition    TEXT    NOT NULL, -- '' where the message is no longer in the conversation
	whole          INTEGER NOT NULL, -- 1 where all of its text is in the request
	verdict        TEXT    NOT NULL, -- JSON: the whole history.Entry. By how much it was over the budget, and the size of
	                                 -- what was not sent, are left out: they follow from the messages.
	UNIQUE (session, message, first_request)
) STRICT;

-- The verdict on each message in each request, expanded from verdicts.
CREATE VIEW past_verdicts AS
SELECT
	v.*,
	r.id AS request,
	r.turn,
	r.ended
FROM requests r
JOIN verdicts v ON v.session = r.session
	AND v.purpose = r.purpose
	AND v.disposition <> ''
	AND coalesce(r.sum, r.tally) IS NOT NULL -- it has a plan
	AND v.first_request = (
		SELECT max(x.first_request)
		FROM verdicts x
		WHERE x.session = v.session
			AND x.message = v.message
			AND x.purpose = r.purpose
			AND x.first_request & 4095 = r.id & 4095
			AND x.first_request <= r.id
	);

-- Texts that stand for the oldest messages of a branch in a request. The messages stay as they are. A summary is used
-- only while none of its sources is excluded.
CREATE TABLE summaries (
	id         INTEGER PRIMARY KEY,
	session    INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	messages   INTEGER NOT NULL, -- how many they are
	endpoint   TEXT    NOT NULL, -- who wrote it
	model      TEXT    NOT NULL,
	sources    TEXT,             -- messages that it was made from and stands for: a JSON array of runs of
	                                          -- ids, [[first, last], …]
	text       BLOB    NOT NULL
) STRICT;

CREATE INDEX summaries_session ON summaries (session);

-- What winnow learned about a model behind a base URL.
CREATE TABLE endpoints (
	id         INTEGER PRIMARY KEY,
	base_url   TEXT    NOT NULL,
	model      TEXT    NOT NULL,
	learned    TEXT,             -- a JSON object: its windows by who named them, the ratio of its server's tokens to
	                             -- ours, and how it is asked; each with its date
	UNIQUE (base_url, model)
) STRICT;

-- The user's decisions about tools for all sessions.
CREATE TABLE tool_permissions (
	id         INTEGER PRIMARY KEY,
	name       TEXT    NOT NULL, -- as the model is offered it
	identity   TEXT    NOT NULL, -- of the tool that is allowed; '' where any tool of the name is meant
	server     TEXT    NOT NULL, -- the MCP server that has it, '' for none
	permission TEXT    NOT NULL, -- off, ask or allow
	UNIQUE (name, identity)
) STRICT;

-- Prompts that were sent, and drafts that were not. files is what stands folded in the text, long pastes and attached
-- files: a JSON array of objects with from and to (bytes of the text), and for a file path and sum (SHA-256 of its
-- content).
CREATE TABLE prompts (
	id         INTEGER PRIMARY KEY,
	text       BLOB    NOT NULL,
	files      TEXT,
	parts      TEXT,                                              -- none: as in drafts
	session    INTEGER REFERENCES sessions (n) ON DELETE CASCADE  -- where it was sent; NULL where that is not kept
) STRICT;

CREATE INDEX prompts_session ON prompts (session);

CREATE TABLE drafts (
	session    INTEGER PRIMARY KEY,             -- 0 is the chat that has not begun
	text       BLOB    NOT NULL,
	files      TEXT,
	parts      TEXT                             -- the files without a path, such as an image from the clipboard:
	                                            -- a JSON array in the order of those in files, bytes in base64
) STRICT;

-- Messages that the user queued while an answer arrived, in the order of their ids, which is the order in which
-- they are sent. The row goes in the transaction that stores its message.
CREATE TABLE queued (
	id         INTEGER PRIMARY KEY,
	session    INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	text       BLOB    NOT NULL, -- as it is sent
	parts      TEXT,             -- the files that are sent with it: a JSON array, their bytes in base64
	draft      BLOB    NOT NULL, -- the text as it was in the composer
	folds      TEXT,             -- what of the draft was folded: JSON as drafts.files, with files without a path
	alone      INTEGER NOT NULL, -- 1 where it is sent without the conversation before it
	cut        INTEGER NOT NULL  -- 1 where it is sent cut if it does not fit whole
) STRICT;

CREATE INDEX queued_session ON queued (session);

-- The leases of sessions by windows. A row whose owner is dead is void.
CREATE TABLE windows (
	id       INTEGER PRIMARY KEY,
	session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	owner    TEXT    NOT NULL  -- as messages.owner
) STRICT;

CREATE INDEX windows_session ON windows (session);

-- The full text of all messages. Its rows are the messages' ids, the newest first, and its column holds
-- their words as winnow writes them for the index, folded and with a space between: the simple tokenizer
-- takes them as they are.
--
-- found_text is empty. The index keeps no copy of the text, and asks this table for the words of a
-- row that is to be deleted: they are put there for that moment.
CREATE TABLE found_text (
	id   INTEGER PRIMARY KEY,
	text TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE found USING fts4 (
	text,
	content="found_text",
	tokenize=simple,
	order=desc
);

-- Has a row while the file may still contain text of purged messages.
CREATE TABLE purged (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	gathered INTEGER NOT NULL CHECK (gathered IN (0, 1)) -- the parts of the index are being merged into one
) STRICT;

-- Messages that are not in the full-text index yet, with their sizes in bytes.
CREATE VIEW unfound AS
SELECT
	m.id,
	octet_length(m.content) AS size
FROM messages m
WHERE m.status <> 'streaming'
	AND m.id NOT IN (SELECT docid FROM found_docsize);

-- This machine among those that share the history. The single row is inserted below.
CREATE TABLE home (
	id     INTEGER PRIMARY KEY CHECK (id = 1),
	folder TEXT    NOT NULL DEFAULT '', -- random name of its folder in the synced one, '' where it was never shared
	number INTEGER NOT NULL,            -- 12 random bits, the lowest ones of all ids that are given here
	clock  INTEGER NOT NULL DEFAULT 0,  -- time of the newest id that is in the file, in milliseconds
	name   TEXT    NOT NULL DEFAULT ''  -- of the host, for people
) STRICT;

INSERT INTO home (id, number) VALUES (1, abs(random() % 4096));

-- Values that can be set on several machines: the one with the greatest id wins. The columns of sessions have the winning
-- values too. A value for a message may arrive before the message.
CREATE TABLE registers (
	id      INTEGER PRIMARY KEY, -- when it was set
	session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	item    INTEGER NOT NULL,    -- a message, 0 for the session itself
	name    TEXT    NOT NULL,    -- title, tags, pinned, archived, deleted, model, settings, system, leaf: columns of the
	                             -- session; flag: pin, exclude; remedy: what the user had sent in place of a damaged
	                             -- message and its group of calls and results, text or drop; fault: why its turn
	                             -- failed behind it without a request that failed, as requests.fault
	value   TEXT    NOT NULL,    -- JSON
	UNIQUE (session, item, name),
	CHECK (json_valid(value)),
	CHECK (
		CASE name
			WHEN 'flag' THEN item <> 0 AND value IN ('""', '"pin"', '"exclude"')
			WHEN 'remedy' THEN item <> 0 AND value IN ('""', '"text"', '"drop"')
			WHEN 'fault' THEN item <> 0
			ELSE item = 0 AND name IN (
				'title', 'tags', 'pinned', 'archived', 'deleted', 'model', 'settings', 'system', 'leaf'
			)
		END
	)
) STRICT;

-- Sessions that were purged on any machine, forever.
CREATE TABLE tombstones (
	id       INTEGER PRIMARY KEY,  -- when it was purged
	session  TEXT    NOT NULL UNIQUE,
	messages TEXT                  -- those that were purged with it: a JSON array of ids
) STRICT;

-- Rows that are in no segment yet and wait for the next sync: messages, requests, summaries, registers and tombstones.
CREATE TABLE untold (
	id INTEGER PRIMARY KEY
) STRICT;

-- A value that was replaced need not be synced.
CREATE TRIGGER registers_replaced AFTER UPDATE OF id ON registers BEGIN
	DELETE FROM untold WHERE id = old.id;
END;

-- All rows that are synced, except tombstones.
CREATE VIEW shared_rows AS
SELECT id, session FROM messages
UNION ALL SELECT id, session FROM requests
UNION ALL SELECT id, session FROM summaries
UNION ALL SELECT id, session FROM registers;

-- Files of the synced folder that were written or merged, also those that others have replaced since.
CREATE TABLE segments (
	id         INTEGER PRIMARY KEY,
	home       TEXT    NOT NULL DEFAULT '', -- folder of the machine that wrote it
	name       TEXT    NOT NULL UNIQUE,     -- of the file, which has the hash of its content
	size       INTEGER NOT NULL DEFAULT 0,  -- of the file
	created_ms INTEGER NOT NULL DEFAULT 0,  -- when it was written
	sessions   TEXT,                        -- a JSON array of the ids of the sessions that it names
	gone       INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1)) -- another segment holds its lines now
) STRICT;

-- The other machines.
CREATE TABLE homes (
	id     INTEGER PRIMARY KEY,
	folder TEXT    NOT NULL UNIQUE,
	number INTEGER NOT NULL, -- lowest bits of the ids that it gives
	name   TEXT    NOT NULL  -- of the host, for people
) STRICT;
