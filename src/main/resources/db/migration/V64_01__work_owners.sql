-- Who is on a row of Today. A row of the page has no table of its own: its key says which it is. participant_id is null
-- for a text whose sender is not enrolled. There is no foreign key to participant; V33_01 says why.
create table work_owner (
  row_key        varchar(160) primary key,
  participant_id varchar(40),
  owner          varchar(200) not null,
  taken_at       timestamp(6) with time zone not null,
  study_at       timestamp(6) with time zone not null,
  after_message  bigint not null
);
create index work_owner_of_participant on work_owner (participant_id);
create index work_owner_by_time on work_owner (taken_at);
