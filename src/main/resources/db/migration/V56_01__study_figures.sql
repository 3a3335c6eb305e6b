-- When a participant completed the study or was withdrawn, in study time; null while they take part. For those who had
-- ended before, the last change of their row.
alter table participant add column ended_at timestamp(6) with time zone;
update participant set ended_at = updated_at where status = any (array['completed', 'withdrawn']);

-- The local date of enrolment in the participant's time zone, which is study day 1. The names of zones are Java's: not
-- every database knows all of them. Null for those enrolled before, until their row changes.
alter table participant add column enrolled_on varchar(10);

-- Milliseconds from the first attempt to the model's outcome, which stood only inside the answer; null in rows of before.
alter table iteration add column model_ms bigint;

-- The costs of a range of days are read from the index alone.
create index charge_figures on charge (at, participant_id, kind, item, confidence, currency, cost, units_cached);
drop index charge_by_time;
