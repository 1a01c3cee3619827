-- Since when each of endpoints.quirks is known: a JSON object of names and times in milliseconds. One without a
-- time is from before this step.
ALTER TABLE endpoints ADD COLUMN quirks_ms TEXT NOT NULL DEFAULT '{}';
