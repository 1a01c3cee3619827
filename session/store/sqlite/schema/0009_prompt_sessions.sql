-- A prompt belongs to the session it was sent in and goes with it. Prompts from before this step name none.
ALTER TABLE prompts ADD COLUMN session INTEGER REFERENCES sessions (n) ON DELETE CASCADE;
ALTER TABLE prompts ADD COLUMN hash BLOB NOT NULL DEFAULT x''; -- SHA-256 of files, a NUL byte and text; empty in rows from before this step

CREATE INDEX prompts_session ON prompts (session);
