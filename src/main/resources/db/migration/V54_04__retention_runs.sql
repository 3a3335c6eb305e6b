-- How far the retention of each kind of data came. What is older than cleared_before is done.
create table retention_run (
  kind           varchar(16) primary key,
  cleared_before timestamp(6) with time zone not null,
  -- system time
  ran_at         timestamp(6) with time zone not null,
  changed        bigint not null,
  constraint retention_run_kind_known check (kind = any (array[
    'raw_posts', 'unclaimed_texts', 'transcripts', 'audit', 'backups']))
);
