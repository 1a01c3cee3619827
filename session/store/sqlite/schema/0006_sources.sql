-- Where an imported session comes from, so that a later export of the same conversation finds it again.
ALTER TABLE sessions ADD COLUMN source TEXT NOT NULL DEFAULT ''; -- chatgpt, llm, winnow; '' for winnow's own and for plain files
ALTER TABLE sessions ADD COLUMN origin TEXT NOT NULL DEFAULT ''; -- its id there

CREATE INDEX sessions_origin ON sessions (source, origin) WHERE origin <> '';
