-- What was spent on one day: by each participant on their own local date, and by all of them on the study's date. The
-- study's row is split into parts, so that turns that end at the same time do not wait for each other. The cost is in
-- millionths of the study's currency. There is no foreign key to participant; V33_01 says why.
create table participant_spend (
  participant_id varchar(40) not null,
  local_date     varchar(10) not null,
  tokens         bigint not null,
  cost           bigint not null,
  segments       bigint not null,
  -- whether they got the text that says that no reply follows today
  text_sent      boolean not null,
  primary key (participant_id, local_date)
);
create index participant_spend_by_date on participant_spend (local_date);

create table study_spend (
  local_date varchar(10) not null,
  part       integer not null,
  tokens     bigint not null,
  cost       bigint not null,
  segments   bigint not null,
  primary key (local_date, part)
);

-- That a budget was used to 80 or 100 percent, once a day. participant_id is 'study' for the whole study.
create table budget_mark (
  participant_id varchar(40) not null,
  local_date     varchar(10) not null,
  kind           varchar(16) not null,
  percent        integer not null,
  at             timestamp(6) with time zone not null,
  primary key (participant_id, local_date, kind, percent),
  constraint budget_mark_kind_known check (kind = any (array['tokens', 'cost', 'segments']))
);
create index budget_mark_by_time on budget_mark (at);
