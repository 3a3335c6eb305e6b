-- What the retention of a study cleared: the text of a message is empty, and the words of a model call are gone.
alter table message add column cleared_at timestamp(6) with time zone;
