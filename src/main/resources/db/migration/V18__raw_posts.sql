-- What a provider posted, as it posted it, by the provider's id of the text; goes when its retention ends.
-- Rows of earlier versions are brought here bit by bit while the line works: until then they are in inbox.raw and
-- unclaimed_text.raw, where a node of an earlier version goes on writing.
create table raw_post (
  provider_id    varchar(128) primary key,
  -- whose text it is; null while nobody's
  participant_id varchar(40),
  -- system time
  stored_at      timestamp(6) with time zone not null,
  content        varchar(200000) not null
);
create index raw_post_at on raw_post (stored_at);
create index raw_post_of on raw_post (participant_id);

-- How far each back-fill of an upgrade came; the row is held by the node that is at work on it.
create table backfill (
  name         varchar(64) primary key,
  -- what comes next in its order; '' at the beginning
  position     varchar(200) not null,
  -- rows that were looked at
  seen         bigint not null,
  started_at   timestamp(6) with time zone not null,
  -- when it last came to the end
  caught_up_at timestamp(6) with time zone
);
