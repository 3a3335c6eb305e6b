-- What tools keep of a participant, such as tasks: one row for each record, as JSON. Kinds and ids are the tools' own
-- words. The key finds one record and all records of a participant. There is no foreign key to participant; V33_01 says
-- why.
create table record (
  participant_id varchar(40) not null,
  kind           varchar(64) not null,
  record_id      varchar(64) not null,
  content        varchar(1000000) not null,
  created_at     timestamp(6) with time zone not null,
  updated_at     timestamp(6) with time zone not null,
  primary key (participant_id, kind, record_id)
);
