-- Alerts by SMS, and messages that wait for a test alert. V33_01 says what these checks are.
alter table outbox drop constraint outbox_kind_known;
alter table outbox add constraint outbox_kind_known
  check (kind = any (array[
    'reply', 'prompt_now', 'prompt', 'intensity', 'reminder', 'check_in', 'staff', 'debug', 'scripted', 'chosen',
    'status', 'help', 'confirmation', 'notice', 'crisis', 'alert'])) ${unchecked};
alter table outbox drop constraint outbox_hold_known;
alter table outbox add constraint outbox_hold_known
  check (hold = any (array[
    'sender_stopped', 'allowed_hours', 'channel_missing', 'carrier_hours', 'retry', 'test_alert'])) ${unchecked};
