-- A delivery that was open when the retention cleared its turn: its words go once it is closed. Null for all others.
alter table outbox add column clear_due boolean;
create index outbox_clear_due on outbox (clear_due);
