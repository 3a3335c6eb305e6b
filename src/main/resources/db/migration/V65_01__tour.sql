-- The guided tour: its example participant and the step that the pages show. There is no foreign key to participant;
-- V33_01 says why.
create table tour (
  participant_id varchar(40) primary key,
  step           varchar(16) not null,
  started_at     timestamp(6) with time zone not null,
  constraint tour_step_known check (step = any (array['phone', 'why', 'daily_prompt', 'clock', 'study', 'leave', 'over']))
);
