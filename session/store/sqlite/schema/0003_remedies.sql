-- What the user had sent in place of a damaged message: its calls told as text, or nothing. It holds for
-- the message's whole group of tool calls and results. A message without a row is mended.
CREATE TABLE remedies (
	message    INTEGER PRIMARY KEY REFERENCES messages (id) ON DELETE CASCADE,
	remedy     TEXT    NOT NULL CHECK (remedy IN ('text', 'drop')),
	created_ms INTEGER NOT NULL
) STRICT;
