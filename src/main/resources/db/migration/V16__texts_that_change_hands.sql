-- Why a text that was being sent when its participant stopped all texts must not be sent once more.
alter table outbox add column withheld varchar(32);

-- Texts that a provider took from a sender who no longer had them: they went out twice, or after they were withdrawn.
create table stray_text (
  -- its own row in the outbox
  delivery_id    varchar(40) primary key,
  participant_id varchar(40) not null,
  -- the text as it was planned
  repeats        varchar(40) not null,
  -- system time
  found_at       timestamp(6) with time zone not null
);
create index stray_text_of on stray_text (participant_id);
create index stray_text_found on stray_text (found_at);
