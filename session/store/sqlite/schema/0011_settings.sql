-- A session keeps only the settings of [context] that were made for it. Until now each kept the preset of the
-- configuration it began under; the default of that time counts as not set, and so do the other keys' defaults.
UPDATE sessions
SET preset = ''
WHERE preset = 'balanced';

UPDATE sessions
SET overrides = substr(
		replace(replace(replace(char(10) || overrides,
			char(10) || 'budget = 0' || char(10), char(10)),
			char(10) || 'placement = ''steady''' || char(10), char(10)),
			char(10) || 'summary_always = false' || char(10), char(10)),
		2)
WHERE overrides <> '';

-- 1 where system is the session's own even if it is '': the system prompt is fixed at the first request.
ALTER TABLE sessions ADD COLUMN system_fixed INTEGER NOT NULL DEFAULT 0;
