-- Who was nudged because they were silent, in which module, and since when they have been stuck there: silent also after
-- the nudge. A text ends the silence, but a module nudges nobody twice.
alter table participant_state add column nudged_in varchar(40);
alter table participant_state add column nudged_at timestamp(6) with time zone;
alter table participant_state add column stuck_since timestamp(6) with time zone;
create index participant_state_stuck on participant_state (stuck_since);
