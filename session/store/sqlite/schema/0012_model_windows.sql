-- What is known of a model's context window, and since when. endpoints.window is what a refusal named.
-- Without a date it is from before this step and may be a guess: then it means nothing.
ALTER TABLE endpoints ADD COLUMN window_ms INTEGER NOT NULL DEFAULT 0; -- date of window
ALTER TABLE endpoints ADD COLUMN stated INTEGER NOT NULL DEFAULT 0;    -- what the server stated about itself last
ALTER TABLE endpoints ADD COLUMN stated_ms INTEGER NOT NULL DEFAULT 0; -- when it stated that first
ALTER TABLE endpoints ADD COLUMN chosen INTEGER NOT NULL DEFAULT 0;    -- what the user set, 0 for nothing
ALTER TABLE endpoints ADD COLUMN chosen_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE endpoints ADD COLUMN largest INTEGER NOT NULL DEFAULT 0;   -- largest prompt_tokens of a request that was read whole

-- What the server was expected to count, where prompt_tokens is so much less that it did not read the whole
-- request; 0 where it is not.
ALTER TABLE requests ADD COLUMN cut_expected INTEGER NOT NULL DEFAULT 0;
