-- What of a sent prompt and of an unsent draft stands folded: long pastes, and the files that hang on it.
-- Both are a JSON array of objects with from and to (bytes of the text), and for a file path and sum (the
-- SHA-256 of what was attached). drafts.files has held nothing until now.
ALTER TABLE prompts ADD COLUMN files TEXT NOT NULL DEFAULT '[]';
