-- Whether a staff member wrote the message to many participants at once, so that it answers none of them; null is no.
alter table message add column one_of_many boolean;
-- How often its words or its tag were chosen: who confirms it names the version that they read.
alter table bulk_action add column version integer default 0 not null;
-- System time at which it goes on, while it waits for earlier messages to be sent or for the allowed hours.
alter table bulk_action add column not_before timestamp(6) with time zone;
-- System time from which the turn of a participant may come: later for those outside the allowed hours.
alter table bulk_target add column due_at timestamp(6) with time zone default timestamp with time zone '1970-01-01 00:00:00+00' not null;
create index bulk_target_due on bulk_target (bulk_id, status, due_at, number);
