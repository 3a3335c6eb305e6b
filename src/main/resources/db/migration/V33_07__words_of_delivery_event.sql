-- V33_01 says what these checks are.
alter table delivery_event add constraint delivery_event_fate_known
  check (fate = any (array[
    'never_processed', 'may_have_gone_out', 'once_more', 'quiet_hours', 'next_day', 'not_by_rcs', 'window_closed',
    'misconfigured', 'opted_out', 'bad_number', 'final'])) ${unchecked};
