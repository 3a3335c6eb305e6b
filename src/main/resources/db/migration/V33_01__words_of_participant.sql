-- Columns that hold the word of an enum accept its words only. SchemaTest compares these lists with the enums. A later
-- version that adds a word replaces the constraint before any node writes the word.
--
-- Rows that are there already are not read: on large tables that would keep others waiting. Every insert and every
-- update is checked from now on.
--
-- = any (array[…]) and not in (…): H2 keeps the connection that wrote an in (…) and fails once it is closed.
--
-- Not checked: opted_out_by, which nodes of the previous version fill with sentences while an update runs, and
-- delivery_event.status, which is the provider's word.
--
-- No foreign key leads from these tables to participant. PostgreSQL locks the referenced row for every insert, and that
-- lock waits for a transaction that holds the participant: a webhook could not store a text while a turn commits. An
-- erasure deletes in small steps and leaves rows without a participant for a while on purpose.
--
-- local_date stays varchar(10), wall_time stays varchar(20), and message.conversation_id stays, because nodes of the
-- previous version write them while an update runs, and PostgreSQL does not convert a varchar to a date on its own.
--
-- One script for each table: a script is one transaction, and one that held several tables could deadlock with turns.
alter table participant add constraint participant_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table participant add constraint participant_status_known
  check (status = any (array['active', 'paused', 'completed', 'withdrawn'])) ${unchecked};
alter table participant add constraint participant_erasing_known
  check (erasing = any (array['no', 'all', 'keep_transcript'])) ${unchecked};
