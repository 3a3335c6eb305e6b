-- Every step of a text that a provider tells has a rank of its own now.
update outbox set progress = case progress when 1 then 2 when 2 then 5 when 3 then 6 when 4 then 7 when 5 then 8 else progress end;
update delivery_event set progress = case progress when 1 then 2 when 2 then 5 when 3 then 6 when 4 then 7 when 5 then 8 else progress end;

-- What a reported error means for the text.
alter table delivery_event add column fate varchar(24);
update delivery_event set fate = 'opted_out' where opt_out = true;
alter table delivery_event drop column opt_out;

-- A text that is sent again takes the place of the one it repeats in the participant's order.
alter table outbox add column place bigint;
alter table outbox add column retry_of varchar(40);
alter table outbox add column retries integer default 0 not null;
-- Nobody waits for it at this moment: answers leave before it.
alter table outbox add column bulk boolean default false not null;
-- System time, after which it is not worth sending.
alter table outbox add column expires_at timestamp(6) with time zone;
-- The provider's templates: outside the conversation window, and with buttons inside it.
alter table outbox add column template varchar(20000);
alter table outbox add column buttons varchar(20000);
alter table outbox add column outside_window boolean default false not null;
-- System time at which the provider is asked what became of it, unless it says so itself before.
alter table outbox add column ask_at timestamp(6) with time zone;
create index outbox_queue on outbox (open, channel, status, bulk, seq);
create index outbox_ask on outbox (ask_at);

-- From whom texts go out, one by kind of channel. System time.
create table sender (
  channel      varchar(16) primary key,
  -- the node that lets its texts go, at its pace
  owner        varchar(64),
  held_until   timestamp(6) with time zone,
  -- since when, and why, the provider does not take its texts; then one is tried now and then
  stopped_at   timestamp(6) with time zone,
  -- whether the provider took texts and said so later: then taking one proves nothing
  by_report    boolean default false not null,
  -- when it took one since
  taken_at     timestamp(6) with time zone,
  stopped_code varchar(32),
  try_at       timestamp(6) with time zone
);
