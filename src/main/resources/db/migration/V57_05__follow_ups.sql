-- What became of the reminder of a daily prompt, or of its later question. Null if none was planned, and in rows from before.
alter table occurrence add column follow_up varchar(16);
alter table occurrence add constraint occurrence_follow_up_known
  check (follow_up = any (array['due', 'sent', 'replaced', 'not_wanted', 'lost'])) ${unchecked};
