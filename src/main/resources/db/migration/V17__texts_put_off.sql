-- Who looks for texts that may leave does not pass those that are put off.
create index outbox_line on outbox (open, channel, status, not_before, bulk, seq);
drop index outbox_queue;
