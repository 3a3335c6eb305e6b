-- A daily prompt of a participant, in local wall time; the zone is the participant's.
create table schedule (
  id             varchar(64) primary key,
  participant_id varchar(40) not null,
  slot           integer not null,
  type           varchar(16) not null,
  -- local times as HH:mm; the second only of a window
  starts         varchar(5) not null,
  ends           varchar(5),
  created_at     timestamp(6) with time zone not null,
  ended_at       timestamp(6) with time zone,
  ended_by       varchar(200),
  -- the participant and slot while the schedule runs: no two run in one slot
  running        varchar(64) unique
);
create index schedule_of on schedule (participant_id, ended_at);

-- One prompt of one local date: there is never a second row for the same date and slot.
-- planned -> prompting (its turn is committed) -> sent (the provider accepted it) or refused;
-- planned -> missed or cancelled.
create table occurrence (
  participant_id  varchar(40) not null,
  local_date      varchar(10) not null,
  slot            integer not null,
  schedule_id     varchar(64) not null,
  wall_time       varchar(20) not null,
  zone            varchar(64) not null,
  due_at          timestamp(6) with time zone not null,
  status          varchar(16) not null,
  reason          varchar(1000),
  -- the turn that wrote the prompt, and when it did
  turn            integer,
  prompted_at     timestamp(6) with time zone,
  sent_at         timestamp(6) with time zone,
  -- sent, and neither answered nor reminded of
  pending         boolean not null,
  reminder_due_at timestamp(6) with time zone,
  reminded_at     timestamp(6) with time zone,
  responded_at    timestamp(6) with time zone,
  -- the participant said Done: it counts once
  done            boolean not null,
  primary key (participant_id, local_date, slot)
);
create index occurrence_prompted on occurrence (participant_id, prompted_at);

-- Something to be done at an instant. The row is the fact; a bell only says when to look.
create table wakeup (
  id             varchar(40) primary key,
  participant_id varchar(40) not null,
  kind           varchar(24) not null,
  due_at         timestamp(6) with time zone not null,
  -- local time and zone as planned
  wall_time      varchar(20) not null,
  zone           varchar(64) not null,
  -- what must still be so when it rings
  guard          varchar(200) not null,
  -- waiting -> rung (it stands in the inbox) -> done or dropped; or cancelled
  status         varchar(16) not null,
  reason         varchar(1000),
  created_at     timestamp(6) with time zone not null,
  ended_at       timestamp(6) with time zone,
  -- what there is one of at a time, while it is open
  only_one       varchar(128) unique
);
create index wakeup_due on wakeup (status, due_at);
create index wakeup_of on wakeup (participant_id, status);

-- Counted by the server itself, and how far the check-in after a prompt of the conversation came.
alter table participant_state add column success_count integer default 0 not null;
alter table participant_state add column total_prompts integer default 0 not null;
alter table participant_state add column feedback_state varchar(24);

-- A wake-up in the inbox has no channel of its own.
alter table inbox alter column channel drop not null;

-- How far study time is ahead of the clock; only a rehearsal has a row.
create table study_clock (
  id             integer primary key,
  ahead_millis bigint not null
);
