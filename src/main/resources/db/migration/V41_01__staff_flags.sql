-- What the coach flags for staff to see today. There is no foreign key to participant; V33_01 says why.
create table staff_flag (
  id             varchar(40) primary key,
  participant_id varchar(40) not null,
  kind           varchar(32) not null,
  status         varchar(16) not null,
  turn           integer not null,
  raised_at      timestamp(6) with time zone not null,
  last_turn      integer not null,
  last_at        timestamp(6) with time zone not null,
  times          integer not null,
  closed_at      timestamp(6) with time zone,
  closed_by      varchar(200),
  note           varchar(2000),
  constraint staff_flag_kind_known check (kind = any (array[
    'adverse_event', 'medication_stopped', 'wants_a_person', 'danger', 'other'])),
  constraint staff_flag_status_known check (status = any (array['open', 'closed']))
);
create index staff_flag_of_participant on staff_flag (participant_id, status);
create index staff_flag_by_status on staff_flag (status, raised_at);
