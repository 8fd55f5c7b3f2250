-- Version 6. Which of a run's devices measured a trial.

-- The uuid of the device that the current measurement was taken on; '': it was not run, or it is of before version 6.
ALTER TABLE trials ADD COLUMN gpu TEXT NOT NULL DEFAULT '';
