-- What a provider calls a sender who shows no number, once staff said whose it is.
create table sender_alias (
  sender         varchar(200) primary key,
  channel        varchar(16) not null,
  participant_id varchar(40) not null,
  created_at     timestamp(6) with time zone not null,
  -- texts go to the one that was used last
  used_at        timestamp(6) with time zone not null
);
create index sender_alias_of on sender_alias (participant_id, used_at);

-- What staff made of a text: 'waiting', then 'claimed' or 'dismissed', once.
alter table unclaimed_text add column status varchar(16) default 'waiting' not null;
alter table unclaimed_text add column decided_at timestamp(6) with time zone;
alter table unclaimed_text add column reason varchar(1000);
-- who claimed it
alter table unclaimed_text add column participant_id varchar(40);
-- what the provider said the text asks for
alter table unclaimed_text add column told varchar(16);
create index unclaimed_text_waiting on unclaimed_text (status, seq);
create index unclaimed_text_of on unclaimed_text (participant_id);

-- One row while nobody is sent anything.
create table sending_stop (
  id         integer primary key,
  stopped_at timestamp(6) with time zone not null,
  stopped_by varchar(200) not null,
  reason     varchar(1000) not null
);
