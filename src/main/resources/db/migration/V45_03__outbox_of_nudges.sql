-- V33_01 says what this check is.
alter table outbox drop constraint outbox_kind_known;
alter table outbox add constraint outbox_kind_known
  check (kind = any (array[
    'reply', 'prompt_now', 'prompt', 'intensity', 'reminder', 'check_in', 'nudge', 'staff', 'debug', 'scripted', 'chosen',
    'status', 'help', 'confirmation', 'notice', 'crisis', 'alert', 'consent'])) ${unchecked};
