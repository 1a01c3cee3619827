-- How often something was written that decides the requests of a session beside its messages: flags, remedies,
-- settings, the system prompt. A program that has the session open compares it, and notices what another one wrote.
ALTER TABLE sessions ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
