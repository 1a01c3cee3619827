-- A chat history as schema 24 kept it. It is never written again: a later winnow must read what this
-- one wrote.
BEGIN TRANSACTION;
CREATE TABLE attachments (
	id   INTEGER PRIMARY KEY,
	hash BLOB NOT NULL UNIQUE,   -- SHA-256 of data
	data BLOB NOT NULL
) STRICT;
CREATE TABLE drafts (
	session    INTEGER PRIMARY KEY, -- 0 is the chat that has not begun
	updated_ms INTEGER NOT NULL,
	text       BLOB    NOT NULL
, files TEXT NOT NULL DEFAULT '[]', parts BLOB NOT NULL DEFAULT x'5b5d') STRICT;
CREATE TABLE endpoints (
	id         INTEGER PRIMARY KEY,
	base_url   TEXT    NOT NULL,
	model      TEXT    NOT NULL,
	window     INTEGER NOT NULL,  -- tokens, 0 unknown
	ratio      REAL    NOT NULL,  -- the server's tokens per counted token, 0 unknown
	samples    INTEGER NOT NULL,
	quirks     TEXT    NOT NULL,  -- JSON array of names
	updated_ms INTEGER NOT NULL, window_ms INTEGER NOT NULL DEFAULT 0, stated INTEGER NOT NULL DEFAULT 0, stated_ms INTEGER NOT NULL DEFAULT 0, chosen INTEGER NOT NULL DEFAULT 0, chosen_ms INTEGER NOT NULL DEFAULT 0, largest INTEGER NOT NULL DEFAULT 0, quirks_ms TEXT NOT NULL DEFAULT '{}',
	UNIQUE (base_url, model)
) STRICT;
CREATE TABLE flags (
	message    INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
	flag       TEXT    NOT NULL CHECK (flag IN ('pin', 'exclude')),
	created_ms INTEGER NOT NULL
) STRICT;
CREATE VIRTUAL TABLE found USING fts4 (
	text,
	content="found_text",
	tokenize=simple,
	order=desc
);
CREATE TABLE found_text (
	id   INTEGER PRIMARY KEY,
	text TEXT NOT NULL
) STRICT;
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
	content       BLOB    NOT NULL DEFAULT x'', alone INTEGER NOT NULL DEFAULT 0, fault TEXT NOT NULL DEFAULT '',
	UNIQUE (session, seq),
	CHECK (parent >= 0 AND parent < id)
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
CREATE TABLE prompts (
	id         INTEGER PRIMARY KEY,
	created_ms INTEGER NOT NULL,
	text       BLOB    NOT NULL
, files BLOB NOT NULL DEFAULT x'5b5d', session INTEGER REFERENCES sessions (n) ON DELETE CASCADE, hash BLOB NOT NULL DEFAULT x'') STRICT;
CREATE TABLE purged (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	gathered INTEGER NOT NULL CHECK (gathered IN (0, 1)) -- the parts of the index are being merged into one
) STRICT;
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
CREATE TABLE remedies (
	message    INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
	remedy     TEXT    NOT NULL CHECK (remedy IN ('text', 'drop')),
	created_ms INTEGER NOT NULL
) STRICT;
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
, cost_nano INTEGER NOT NULL DEFAULT 0, cost_from TEXT NOT NULL DEFAULT '', purpose TEXT NOT NULL DEFAULT '', cut_expected INTEGER NOT NULL DEFAULT 0, sum TEXT, added TEXT, shortfalls TEXT, entries INTEGER NOT NULL DEFAULT 0, cache_write_tokens INTEGER NOT NULL DEFAULT 0, price_source TEXT NOT NULL DEFAULT '', reusable_tokens INTEGER NOT NULL DEFAULT 0, reusable_us INTEGER NOT NULL DEFAULT 0, cache_diagnosis TEXT NOT NULL DEFAULT '', fault TEXT NOT NULL DEFAULT '') STRICT;
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
, source TEXT NOT NULL DEFAULT '', origin TEXT NOT NULL DEFAULT '', system_fixed INTEGER NOT NULL DEFAULT 0, changes INTEGER NOT NULL DEFAULT 0, address TEXT NOT NULL DEFAULT '') STRICT;
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
, sources TEXT NOT NULL DEFAULT '[]') STRICT;
CREATE TABLE sync_changes (
	id      INTEGER PRIMARY KEY,
	session INTEGER NOT NULL,
	item    INTEGER NOT NULL,
	name    TEXT    NOT NULL,
	UNIQUE (session, item, name) ON CONFLICT IGNORE
) STRICT;
CREATE TABLE sync_former (
	id      INTEGER PRIMARY KEY,
	machine TEXT    NOT NULL UNIQUE,
	purged  INTEGER NOT NULL -- how many purged sessions were known when that was done last
) STRICT;
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
CREATE TABLE sync_others (
	id      INTEGER PRIMARY KEY,
	machine TEXT    NOT NULL UNIQUE,
	name    TEXT    NOT NULL,
	merged  INTEGER NOT NULL, -- number of its newest segment that is merged
	last_ms INTEGER NOT NULL  -- when it wrote that
) STRICT;
CREATE TABLE sync_parts (
	id      INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	segment INTEGER NOT NULL,
	UNIQUE (session, segment)
) STRICT;
CREATE TABLE sync_purged (
	id      INTEGER PRIMARY KEY,
	session TEXT    NOT NULL UNIQUE,
	machine TEXT    NOT NULL,
	segment INTEGER NOT NULL -- as in sync_stamps
) STRICT;
CREATE TABLE sync_rows (
	id      INTEGER PRIMARY KEY,
	segment INTEGER NOT NULL, -- 0 is none yet
	kind    TEXT    NOT NULL, -- message, request, summary
	first   INTEGER NOT NULL,
	last    INTEGER NOT NULL,
	UNIQUE (kind, first)
) STRICT;
CREATE TABLE sync_segments (
	number INTEGER PRIMARY KEY,
	seen   TEXT    NOT NULL, -- JSON: which segment of each other machine was merged last when this one was made
	sum    BLOB,             -- SHA-256 of the file, NULL where it is to be written
	size   INTEGER NOT NULL  -- of the file
) STRICT;
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
CREATE TABLE tags (
	id      INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	tag     TEXT    NOT NULL,
	UNIQUE (session, tag)
) STRICT;
CREATE TABLE tool_calls (
	id        INTEGER PRIMARY KEY,
	message   INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
	place     INTEGER NOT NULL,  -- from 0
	call_id   BLOB    NOT NULL,  -- all three as received, never encoded again
	name      BLOB    NOT NULL,
	arguments BLOB    NOT NULL,
	UNIQUE (message, place)
) STRICT;
CREATE TABLE tool_permissions (
	id         INTEGER PRIMARY KEY,
	name       TEXT    NOT NULL, -- as the model is offered it
	identity   TEXT    NOT NULL, -- of the tool that is allowed; '' where any tool of the name is meant
	server     TEXT    NOT NULL, -- the MCP server that has it, '' for none
	permission TEXT    NOT NULL, -- off, ask or allow
	updated_ms INTEGER NOT NULL,
	UNIQUE (name, identity)
) STRICT;
CREATE TABLE unfound (
	first INTEGER PRIMARY KEY,
	last  INTEGER NOT NULL
) STRICT;
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
CREATE TABLE windows (
	id       INTEGER PRIMARY KEY,
	session  INTEGER NOT NULL REFERENCES sessions (n) ON DELETE CASCADE,
	owner    TEXT    NOT NULL, -- as messages.owner
	since_ms INTEGER NOT NULL,
	UNIQUE (session, owner)
) STRICT;
INSERT INTO attachments VALUES (1, X'FE1A4AB1FB6347036BEAD73597D5D2958B26AC0B96F68CA2F6DCEE53A50F297E', CAST('not really a picture' AS BLOB));
INSERT INTO drafts VALUES (1, 1795262460000, CAST('And tomo' AS BLOB), '[{"from":8,"to":8,"path":"/home/kim/plan.txt","sum":"5f"},{"from":8,"to":8,"sum":"6a"}]', CAST('[{"Kind":"image","Name":"pasted-1.png","MediaType":"image/png","Text":"","Data":"iVBORw==","Tokens":85}]' AS BLOB));
INSERT INTO endpoints VALUES (1, 'https://api.openai.com/v1', 'gpt-5.2', 400000, 1.02, 3, '["no temperature"]', 1795262460000, 0, 0, 0, 0, 0, 0, '{"no temperature":1795262460000}');
INSERT INTO flags VALUES (2, 'pin', 1795262460000);
INSERT INTO messages VALUES (1, 1, 1, 0, 'user', 'complete', 1795262400000, 0, 0, 0, '', 0, '', '', '', '', '', X'', X'', X'4BF45624603DB29372FEADBEBF0FF53290DFA00013BA52B07717F0E30A667D2A', NULL, X'', CAST('Will it rian?' AS BLOB), 0, '');
INSERT INTO messages VALUES (2, 1, 2, 0, 'user', 'complete', 1795262460000, 0, 0, 4, 'o200k_base', 0, '', '', '', '', '', X'', X'', X'FE5344C94B1C1E19F8F99F39ED36E5BDC7A27EDD7677ABDDA8E50D2625BCA083', NULL, X'', CAST('Will it rain?' AS BLOB), 0, '{"what":"It failed","free":true}');
INSERT INTO messages VALUES (3, 1, 3, 2, 'assistant', 'complete', 1795262460000, 1, 0, 0, '', 1, '', 'openai', 'gpt-5.2', 'tool_calls', '', X'', X'', X'B428CC673EF5993F747D27A0E981AFC00B5129C838A797284851E9FD39FA2791', NULL, X'', X'', 0, '');
INSERT INTO messages VALUES (4, 1, 4, 3, 'tool', 'complete', 1795262460000, 0, 1, 0, '', 0, '', '', '', '', '', X'', CAST('call_1' AS BLOB), X'7517E482A26A013506D65E43F9336D080C7D80C16FBAC76192CF3E44E20E4D11', NULL, X'', CAST('{"rain":true}' AS BLOB), 0, '');
INSERT INTO messages VALUES (5, 1, 5, 4, 'assistant', 'streaming', 1795262460000, 0, 0, 0, '', 0, 'a4119cc5-90ab-4348-b702-10d666357e43', '', '', '', '', X'', X'', X'3C6E747896D8CC2CE861F9B9B0052B2C599D5B6666DCB8D9E802A7F6CED8FF3E', NULL, X'', CAST('Yes, tak' AS BLOB), 0, '');
INSERT INTO messages VALUES (6, 2, 1, 0, 'user', 'complete', 1795262460000, 0, 0, 4, 'o200k_base', 0, '', '', '', '', '', X'', X'', X'FE5344C94B1C1E19F8F99F39ED36E5BDC7A27EDD7677ABDDA8E50D2625BCA083', NULL, X'', CAST('Will it rain?' AS BLOB), 1, '');
INSERT INTO parts VALUES (1, 4, 0, 'image', 'radar.png', 'image/png', 85, 1);
INSERT INTO prompts VALUES (1, 1795262460000, CAST('Will it rain?' AS BLOB), CAST('[{"from":0,"to":4}]' AS BLOB), NULL, X'');
INSERT INTO prompts VALUES (2, 1795262460001, CAST('And tomorrow?' AS BLOB), CAST('[]' AS BLOB), 1, X'729E29A29512E326BC6BCE3CEDFF6A93A27E492B60E803C0F47399B98B09AC56');
INSERT INTO queued VALUES (1, 1, 1795262460000, CAST('And at noon?' AS BLOB), CAST('[{"Kind":"text","Name":"plan.txt","MediaType":"text/plain","Text":"tea","Data":null,"Tokens":1}]' AS BLOB), CAST(' And at noon?' AS BLOB), CAST('[{"from":0,"to":0,"path":"/home/kim/plan.txt","sum":"5f"}]' AS BLOB), 0, 1);
INSERT INTO remedies VALUES (3, 'text', 1795262460000);
INSERT INTO repairs VALUES (1, 3, 'C4', X'2C14907A7980B103827C4AFDF9E6C86970C6C73C136563A6C69B55EECFC072D7', 'a trailing comma was left out', CAST('{"city": "Oslo"}' AS BLOB), 1, 1795262460000, 1795262460000, 0);
INSERT INTO requests VALUES (1, 1, 1, 2, 1795262460000, 'openai', 'gpt-5.2', 1, 'o200k_base', 11, '00ff', 12, -1, 9, -1, 300000, 1500000, 0, 'tool_calls', 'done', '', CAST('{}' AS BLOB), CAST('{}' AS BLOB), 123000, 'server', '', 0, NULL, NULL, NULL, 0, 0, '', 0, 0, '', '');
INSERT INTO requests VALUES (2, 1, 1, 2, 1795262460000, 'openai', 'gpt-5.2-mini', 2, 'o200k_base', 40, '11ff', 42, -1, 12, -1, 300000, 1500000, 0, 'stop', 'done', '', CAST('{}' AS BLOB), CAST('{}' AS BLOB), 4000, 'prices', 'summary', 0, NULL, NULL, NULL, 0, 0, '', 0, 0, '', '');
INSERT INTO requests VALUES (3, 1, 1, 2, 1795262460000, 'openai', 'gpt-5.2', 9, 'o200k_base', 44, '22ff', 45, -1, 9, -1, 300000, 1500000, 0, 'stop', 'done', '', CAST('{}' AS BLOB), NULL, 123000, 'server', '', 0, '{"System":0,"Tools":0,"Pinned":8,"Body":30,"Recalled":0,"Draft":0,"Added":3,"Frame":3,"Total":44,"Reserve":0,"Window":0,"Budget":0,"Limit":6000,"Bound":"","Ratio":1,"Margin":0.1,"Sent":2,"Stored":3}', '[{"Kind":"marker","Before":1,"At":1,"Text":"[…]","Tokens":3,"Reason":"gap want=1"}]', NULL, 3, 0, '', 0, 0, '', '');
INSERT INTO requests VALUES (4, 1, 1, 2, 1795262460000, 'openai', 'gpt-5.2', 9, 'o200k_base', 44, '22ff', 47, -1, 9, -1, 300000, 1500000, 0, 'stop', 'done', '', CAST('{}' AS BLOB), NULL, 123000, 'server', '', 0, '{"System":0,"Tools":0,"Pinned":8,"Body":30,"Recalled":0,"Draft":0,"Added":3,"Frame":3,"Total":44,"Reserve":0,"Window":0,"Budget":0,"Limit":6000,"Bound":"","Ratio":1,"Margin":0.1,"Sent":2,"Stored":3}', '[{"Kind":"marker","Before":1,"At":1,"Text":"[…]","Tokens":3,"Reason":"gap want=1"}]', NULL, 3, 0, '', 0, 0, '', '');
INSERT INTO requests VALUES (5, 1, 1, 2, 1795262460000, 'openai', 'gpt-5.2', 9, 'o200k_base', 33, '33ff', 33, -1, 9, -1, 300000, 1500000, 0, 'stop', 'done', '', CAST('{}' AS BLOB), NULL, 123000, 'prices', '', 0, '{"System":0,"Tools":0,"Pinned":8,"Body":19,"Recalled":0,"Draft":0,"Added":3,"Frame":3,"Total":33,"Reserve":0,"Window":0,"Budget":0,"Limit":6000,"Bound":"","Ratio":1,"Margin":0.1,"Sent":2,"Stored":3}', '[{"Kind":"marker","Before":1,"At":1,"Text":"[…]","Tokens":3,"Reason":"gap want=1"}]', '[{"first":4,"last":4,"want":11,"have":3}]', 3, 20, 'the configuration', 0, 0, '', '{"what":"It failed","free":true}');
INSERT INTO sessions VALUES (1, '019aa6e0-0000-7000-8000-000000000001', 1795262400000, 1795262460000, 1795262460004, 5, '', 0, 0, 0, 0, 5, 2, 'Weather', 'user', 'openai', 'gpt-5.2', '', '/home/kim', '', '', '', '', 0, 0, '');
INSERT INTO sessions VALUES (2, '019aa6e0-0000-7000-8000-000000000002', 1795262470000, 1795262470000, 1795262470000, 6, '019aa6e0-0000-7000-8000-000000000001', 2, 0, 0, 0, 1, 1, 'Weather, forked', 'user', '', '', '', '', '', '', 'chatgpt', 'c-17', 0, 0, '');
INSERT INTO summaries VALUES (1, 1, 2, 3, 2, 1795262460000, 'openai', 'gpt-5.2', CAST('They ask whether it rains.' AS BLOB), '[[1,3]]');
INSERT INTO sync_purged VALUES (1, '01a20b95-c4de-73bb-9ede-e044f1bcf843', '7cc97fb4750b3e0d', 3);
INSERT INTO tags VALUES (1, 1, 'sky');
INSERT INTO tool_calls VALUES (1, 3, 0, CAST('call_1' AS BLOB), CAST('weather' AS BLOB), CAST('{"city": "Oslo",}' AS BLOB));
INSERT INTO tool_permissions VALUES (1, 'github__create_issue', 'github__create_issue 5f', 'github', 'allow', 1795262460000);
INSERT INTO unfound VALUES (1, 6);
INSERT INTO verdicts VALUES (1, 1, '', 2, 3, NULL, 0, 'user', 'kept', 3, 3, 'pinned', 1, 1, 0, 8, 8, 13, 13, NULL, NULL, NULL);
INSERT INTO verdicts VALUES (2, 1, '', 3, 3, NULL, 1, 'assistant', 'kept', 3, 3, 'fits', 0, 1, 0, 20, 19, 0, 0, NULL, NULL, '[{"Kind":"C4","What":"a trailing comma was left out","Before":"{\"city\": \"Oslo\",}","After":"{\"city\": \"Oslo\"}"}]');
INSERT INTO verdicts VALUES (3, 1, '', 4, 3, 3, 2, 'tool', 'kept', 3, 3, 'fits', 0, 1, 0, 11, 11, 13, 13, NULL, NULL, NULL);
INSERT INTO verdicts VALUES (4, 1, '', 4, 4, 4, 2, 'tool', 'cut', 1, 1, 'tool_limit have=6 want=13 limit=6', 0, 0, 0, 11, 7, 13, 6, '[{"From":6,"To":13}]', '[{"At":6,"Text":"[…]"}]', NULL);
INSERT INTO verdicts VALUES (5, 1, '', 4, 5, NULL, 2, 'tool', 'dropped', 0, 0, 'over_budget', 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL);
CREATE INDEX messages_parent ON messages (session, parent);
CREATE INDEX messages_streaming ON messages (owner) WHERE status = 'streaming';
CREATE INDEX parts_attachment ON parts (attachment);
CREATE INDEX prompts_session ON prompts (session);
CREATE INDEX queued_session ON queued (session);
CREATE INDEX requests_cost ON requests (session, cost_from, cost_nano);
CREATE INDEX requests_purpose ON requests (session, purpose) WHERE sum IS NOT NULL;
CREATE INDEX requests_turn ON requests (session, turn);
CREATE INDEX requests_usage ON requests (
	created_ms, endpoint, model, purpose, cost_from, cost_nano,
	prompt_tokens, cached_tokens, cache_write_tokens, answer_tokens, reasoning_tokens, session
);
CREATE INDEX sessions_list ON sessions (pinned DESC, used DESC) WHERE deleted_ms = 0 AND archived = 0;
CREATE INDEX sessions_origin ON sessions (source, origin) WHERE origin <> '';
CREATE INDEX sessions_used ON sessions (used);
CREATE INDEX summaries_session ON summaries (session);
CREATE INDEX sync_ids_here ON sync_ids (machine, kind, here);
CREATE INDEX sync_ids_segment ON sync_ids (segment);
CREATE INDEX sync_lost_session ON sync_lost (session);
CREATE INDEX sync_rows_segment ON sync_rows (segment);
CREATE INDEX sync_stamps_segment ON sync_stamps (segment) WHERE segment <> 0;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES ('messages', 6);
INSERT INTO sqlite_sequence VALUES ('requests', 5);
INSERT INTO sqlite_sequence VALUES ('summaries', 1);
COMMIT;
PRAGMA application_id = 2003398254;
PRAGMA user_version = 24;
