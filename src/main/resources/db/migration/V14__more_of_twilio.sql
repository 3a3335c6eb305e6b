-- The RCS agent that a text came to: answers leave from it. Empty for a text to a number.
alter table inbox add column came_to varchar(200);
-- What a form that was filled in on WhatsApp holds, as JSON.
alter table inbox add column data varchar(1000000);
alter table unclaimed_text add column came_to varchar(200);
alter table unclaimed_text add column data varchar(1000000);
-- What the provider calls the sender besides their number.
alter table unclaimed_text add column user_id varchar(200);

-- Learnt from a text that showed the number as well: texts go to the number, until one comes under this name alone.
alter table sender_alias add column learnt boolean default false not null;

-- RCS agents that texts came to; no setting names them.
create table rcs_agent (
  agent      varchar(200) primary key,
  first_seen timestamp(6) with time zone not null
);

-- What the provider charged for a text, and the template that it went out as.
alter table outbox add column price numeric(14, 6);
alter table outbox add column price_unit varchar(8);
alter table outbox add column template_id varchar(64);
alter table outbox add column template_category varchar(32);

-- Templates that went out, and the category that the provider gave them. System time.
create table message_template (
  id         varchar(64) primary key,
  category   varchar(32),
  checked_at timestamp(6) with time zone
);

-- How far a provider's list of messages has been read, and which node reads it now. System time.
create table provider_list (
  provider   varchar(16) primary key,
  read_up_to timestamp(6) with time zone not null,
  next_at    timestamp(6) with time zone not null,
  owner      varchar(64),
  held_until timestamp(6) with time zone
);
