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

-- One row while the index may still hold words of purged messages.
CREATE TABLE purged (
	id       INTEGER PRIMARY KEY CHECK (id = 1),
	gathered INTEGER NOT NULL CHECK (gathered IN (0, 1)) -- the parts of the index are being merged into one
) STRICT;

-- Messages that are not in the index yet, as runs of ids: those that were here before the index was.
CREATE TABLE unfound (
	first INTEGER PRIMARY KEY,
	last  INTEGER NOT NULL
) STRICT;

INSERT INTO unfound (first, last)
SELECT min(id), max(id)
FROM messages
HAVING count(*) > 0;
