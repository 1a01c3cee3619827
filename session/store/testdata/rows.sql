-- At least one row of each table that holds history.

INSERT INTO sessions (
	n, id, created_ms, updated_ms, used, leaf, parent, forked_at, pinned, archived, deleted_ms, messages, turns,
	changes, title, title_from, source, origin, endpoint, model, preset, dir, overrides, system, system_fixed, tags
) VALUES
	(1, '019aa6e0-0000-7000-8000-000000000001', 1795262400000, 1795262460000, 1795262460004, 5, '', 0, 0, 0, 0, 5, 2, 0, 'Weather', 'user', '', '', 'openai', 'gpt-5.2', '', '/home/kim', '', '', 0, '["sky"]'),
	(2, '019aa6e0-0000-7000-8000-000000000002', 1795262470000, 1795262470000, 1795262470000, 6, '019aa6e0-0000-7000-8000-000000000001', 2, 0, 0, 0, 1, 1, 0, 'Weather, forked', 'user', 'chatgpt', 'c-17', '', '', '', '', '', '', 0, NULL);

INSERT INTO messages (
	id, session, seq, parent, role, status, created_ms, tokens, tokenizer, request, alone, owner,
	endpoint, model, finish_reason, label, name, tool_call_id, hash, tool_calls, parts, reasoning, content
) VALUES
	(1, 1, 1, 0, 'user', 'complete', 1795262400000, 0, '', 0, 0, '', '', '', '', '', X'', X'', X'4BF45624603DB29372FEADBEBF0FF53290DFA00013BA52B07717F0E30A667D2A', NULL, NULL, X'', CAST('Will it rian?' AS BLOB)),
	(2, 1, 2, 0, 'user', 'complete', 1795262460000, 4, 'o200k_base', 0, 0, '', '', '', '', '', X'', X'', X'FE5344C94B1C1E19F8F99F39ED36E5BDC7A27EDD7677ABDDA8E50D2625BCA083', NULL, NULL, X'', CAST('Will it rain?' AS BLOB)),
	(3, 1, 3, 2, 'assistant', 'complete', 1795262460000, 0, '', 1, 0, '', 'openai', 'gpt-5.2', 'tool_calls', '', X'', X'', X'B428CC673EF5993F747D27A0E981AFC00B5129C838A797284851E9FD39FA2791', '[{"call_id":"call_1","name":"weather","arguments":"{\"city\": \"Oslo\",}"}]', NULL, X'', X''),
	(4, 1, 4, 3, 'tool', 'complete', 1795262460000, 0, '', 0, 0, '', '', '', '', '', X'', CAST('call_1' AS BLOB), X'6B0AA811C166276E90A6910BB7AB9C52BFD41F2D53D31EAF716DDDEEF7EF5A1F', NULL, '[{"kind":"image","name":"radar.png","media_type":"image/png","tokens":85,"hash":"fe1a4ab1fb6347036bead73597d5d2958b26ac0b96f68ca2f6dcee53a50f297e"}]', X'', CAST('{"rain":true}' AS BLOB)),
	(5, 1, 5, 4, 'assistant', 'interrupted', 1795262460000, 0, '', 0, 0, 'a4119cc5-90ab-4348-b702-10d666357e43', '', '', '', '', X'', X'', X'3C6E747896D8CC2CE861F9B9B0052B2C599D5B6666DCB8D9E802A7F6CED8FF3E', NULL, NULL, X'', CAST('Yes, tak' AS BLOB)),
	(6, 2, 1, 0, 'user', 'complete', 1795262460000, 4, 'o200k_base', 0, 1, '', '', '', '', '', X'', X'', X'FE5344C94B1C1E19F8F99F39ED36E5BDC7A27EDD7677ABDDA8E50D2625BCA083', NULL, NULL, X'', CAST('Will it rain?' AS BLOB));

INSERT INTO attachments (
	id, hash, data
) VALUES
	(1, 'fe1a4ab1fb6347036bead73597d5d2958b26ac0b96f68ca2f6dcee53a50f297e', CAST('not really a picture' AS BLOB));

INSERT INTO requests (
	id, session, turn, user, purpose, created_ms, endpoint, model, rules, tokenizer, estimate, body_hash,
	prompt_tokens, cached_tokens, answer_tokens, reasoning_tokens, cache_write_tokens, cut_expected, cost_nano,
	cost_from, price_source, reusable_tokens, reusable_ns, first_token_ns, took_ns, retries,
	finish, ended, error, fault, tally, options, sum, added
) VALUES
	(1, 1, 1, 2, '', 1795262460000, 'openai', 'gpt-5.2', 1, 'o200k_base', 11, '00ff', 12, -1, 9, -1, 0, 0, 123000, 'server', '', 0, 0, 300000, 1500000, 0, 'tool_calls', 'done', '', '', NULL, CAST('{}' AS BLOB), NULL, NULL),
	(2, 1, 1, 2, 'summary', 1795262460000, 'openai', 'gpt-5.2-mini', 2, 'o200k_base', 40, '11ff', 42, -1, 12, -1, 0, 0, 4000, 'prices', '', 0, 0, 300000, 1500000, 0, 'stop', 'done', '', '', NULL, CAST('{}' AS BLOB), NULL, NULL),
	(3, 1, 1, 2, '', 1795262460000, 'openai', 'gpt-5.2', 9, 'o200k_base', 44, '22ff', 45, -1, 9, -1, 0, 0, 123000, 'server', '', 0, 0, 300000, 1500000, 0, 'stop', 'done', '', '', '{"stored":3,"of":{"kept":3},"pinned":1,"repaired":1}', CAST('{}' AS BLOB), '{"System":0,"Tools":0,"Pinned":8,"Body":30,"Recalled":0,"Draft":0,"Added":3,"Frame":3,"Total":44,"Reserve":0,"Window":0,"Budget":0,"Limit":6000,"Bound":"","Ratio":1,"Margin":0.1,"Sent":2,"Stored":3}', '[{"Kind":"marker","Before":1,"At":1,"Text":"[…]","Tokens":3,"Reason":"gap want=1"}]'),
	(4099, 1, 1, 2, '', 1795262460000, 'openai', 'gpt-5.2', 9, 'o200k_base', 44, '22ff', 47, -1, 9, -1, 0, 0, 123000, 'server', '', 0, 0, 300000, 1500000, 0, 'stop', 'done', '', '', '{"stored":3,"of":{"kept":2,"cut":1},"pinned":1,"repaired":1,"short":1}', CAST('{}' AS BLOB), '{"System":0,"Tools":0,"Pinned":8,"Body":30,"Recalled":0,"Draft":0,"Added":3,"Frame":3,"Total":44,"Reserve":0,"Window":0,"Budget":0,"Limit":6000,"Bound":"","Ratio":1,"Margin":0.1,"Sent":2,"Stored":3}', '[{"Kind":"marker","Before":1,"At":1,"Text":"[…]","Tokens":3,"Reason":"gap want=1"}]'),
	(8195, 1, 1, 2, '', 1795262460000, 'openai', 'gpt-5.2', 9, 'o200k_base', 33, '33ff', 33, -1, 9, -1, 20, 0, 123000, 'prices', 'the configuration', 0, 0, 300000, 1500000, 0, 'stop', 'done', '', '{"what":"It failed","free":true}', '{"stored":3,"of":{"kept":2,"dropped":1},"pinned":1,"repaired":1,"short":1}', CAST('{}' AS BLOB), '{"System":0,"Tools":0,"Pinned":8,"Body":19,"Recalled":0,"Draft":0,"Added":3,"Frame":3,"Total":33,"Reserve":0,"Window":0,"Budget":0,"Limit":6000,"Bound":"","Ratio":1,"Margin":0.1,"Sent":2,"Stored":3}', '[{"Kind":"marker","Before":1,"At":1,"Text":"[…]","Tokens":3,"Reason":"gap want=1"}]');

INSERT INTO verdicts (
	id, session, purpose, message, first_request, disposition, whole, verdict
) VALUES
	(1, 1, '', 2, 3, 'kept', 1, '{"ID":2,"Role":"user","Disposition":"kept","Level":3,"Place":3,"Cause":"pinned","Pinned":true,"Whole":true,"TokensBefore":8,"TokensAfter":8,"CharsBefore":13,"CharsAfter":13}'),
	(2, 1, '', 3, 3, 'kept', 1, '{"ID":3,"Index":1,"Role":"assistant","Disposition":"kept","Level":3,"Place":3,"Cause":"fits","Whole":true,"TokensBefore":20,"TokensAfter":19,"Repairs":[{"Kind":"C4","Cause":"","Before":"{\"city\": \"Oslo\",}","After":"{\"city\": \"Oslo\"}"}]}'),
	(3, 1, '', 4, 3, 'kept', 1, '{"ID":4,"Index":2,"Role":"tool","Disposition":"kept","Level":3,"Place":3,"Cause":"fits","Whole":true,"TokensBefore":11,"TokensAfter":11,"CharsBefore":13,"CharsAfter":13}'),
	(4, 1, '', 4, 4099, 'cut', 0, '{"ID":4,"Index":2,"Role":"tool","Disposition":"cut","Level":1,"Place":1,"Cause":"tool_limit have=6 want=13 limit=6","TokensBefore":11,"TokensAfter":7,"CharsBefore":13,"CharsAfter":6,"Cuts":[{"From":6,"To":13}],"Inserted":[{"At":6,"Text":"[…]"}]}'),
	(5, 1, '', 4, 8195, 'dropped', 0, '{"ID":4,"Index":2,"Role":"tool","Disposition":"dropped","Cause":"over_budget"}');

INSERT INTO summaries (
	id, session, messages, endpoint, model, sources, text
) VALUES
	(1, 1, 2, 'openai', 'gpt-5.2', '[[1,3]]', CAST('They ask whether it rains.' AS BLOB));

INSERT INTO endpoints (
	id, base_url, model, learned
) VALUES
	(1, 'https://api.openai.com/v1', 'gpt-5.2', '{"window":400000,"window_at":"2026-11-21T12:01:00Z","ratio":1.02,"samples":3,"asked":{"no_temperature":true}}');

INSERT INTO tool_permissions (
	id, name, identity, server, permission
) VALUES
	(1, 'github__create_issue', 'github__create_issue 5f', 'github', 'allow');

INSERT INTO prompts (
	id, session, text, files
) VALUES
	(1, NULL, CAST('Will it rain?' AS BLOB), '[{"from":0,"to":4}]'),
	(2, 1, CAST('And tomorrow?' AS BLOB), '[]');

INSERT INTO drafts (
	session, text, files, parts
) VALUES
	(1, CAST('And tomo' AS BLOB), '[{"from":8,"to":8,"path":"/home/kim/plan.txt","sum":"5f"},{"from":8,"to":8,"sum":"6a"}]', '[{"Kind":"image","Name":"pasted-1.png","MediaType":"image/png","Text":"","Data":"iVBORw==","Tokens":85}]');

INSERT INTO queued (
	id, session, text, parts, draft, folds, alone, cut
) VALUES
	(1, 1, CAST('And at noon?' AS BLOB), '[{"Kind":"text","Name":"plan.txt","MediaType":"text/plain","Text":"tea","Data":null,"Tokens":1}]', CAST(' And at noon?' AS BLOB), '[{"from":0,"to":0,"path":"/home/kim/plan.txt","sum":"5f"}]', 0, 1);

INSERT INTO registers (
	id, session, item, name, value
) VALUES
	(11, 1, 0, 'pinned', '{"pinned":true}'),
	(12, 1, 2, 'flag', '"pin"'),
	(14, 1, 2, 'fault', '"{\"what\":\"It failed\",\"free\":true}"');

INSERT INTO tombstones (
	id, session, messages
) VALUES
	(13, '01a20b95-c4de-73bb-9ede-e044f1bcf843', '[21,22]');
