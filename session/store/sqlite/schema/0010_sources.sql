-- The messages that a summary was made from and stands for: a JSON array of runs of ids, [[first, last], …].
-- It is used only while none of them is excluded. Of an older summary nobody knows what its request held, so
-- everything up to its newest message counts.
ALTER TABLE summaries ADD COLUMN sources TEXT NOT NULL DEFAULT '[]';

UPDATE summaries
SET sources = json_array(json_array((SELECT min(id) FROM messages WHERE session = summaries.session), last));

-- What a request is for: '' is an answer, summary and title are requests of winnow's own.
ALTER TABLE requests ADD COLUMN purpose TEXT NOT NULL DEFAULT '';

-- A user's message that is sent without the conversation before it, whenever it is asked again. Until now
-- only the record of its request says so.
ALTER TABLE messages ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;

UPDATE messages
SET alone = 1
WHERE role = 'user'
	AND id IN (
		SELECT user
		FROM requests
		WHERE json_valid(CAST(options AS TEXT))
			AND json_extract(CAST(options AS TEXT), '$.policy.MaxMessages') = 0
	);
