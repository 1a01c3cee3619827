-- What of a sent prompt and of an unsent draft stands folded: long pastes, and the files that hang on it.
-- Both are a JSON array of objects with from and to (bytes of the text), and for a file path and sum (the
-- SHA-256 of what was attached). drafts.files has held nothing until now. It is bytes here, so that no row
-- of one table looks like one of the other where a damaged file is read without its schema.
ALTER TABLE prompts ADD COLUMN files BLOB NOT NULL DEFAULT x'5b5d'; -- []
