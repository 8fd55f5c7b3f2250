-- Version 5. Macros of which a configuration does not say what the source saw.

-- JSON, name to text: parameters whose words are spelled, and macros worked out from others; '': there are none, or it is
-- of before version 5.
ALTER TABLE trials ADD COLUMN macros TEXT NOT NULL DEFAULT '';
