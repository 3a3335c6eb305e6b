-- V33_01 says what these checks are.
alter table outbox add constraint outbox_kind_known
  check (kind = any (array[
    'reply', 'prompt_now', 'prompt', 'intensity', 'reminder', 'check_in', 'staff', 'debug', 'scripted', 'chosen',
    'status', 'help', 'confirmation', 'notice'])) ${unchecked};
alter table outbox add constraint outbox_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table outbox add constraint outbox_status_known
  check (status = any (array[
    'refused', 'failed', 'undelivered', 'canceled', 'unknown', 'looking', 'planned', 'sending', 'scheduled',
    'accepted', 'queued', 'sent', 'delivered', 'read'])) ${unchecked};
alter table outbox add constraint outbox_hold_known
  check (hold = any (array['sender_stopped', 'allowed_hours', 'channel_missing', 'carrier_hours', 'retry'])) ${unchecked};
alter table outbox add constraint outbox_failure_known
  check (failure = any (array[
    'never_processed', 'may_have_gone_out', 'once_more', 'quiet_hours', 'next_day', 'not_by_rcs', 'window_closed',
    'misconfigured', 'opted_out', 'bad_number', 'final'])) ${unchecked};
