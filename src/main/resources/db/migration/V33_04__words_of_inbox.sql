-- V33_01 says what these checks are.
alter table inbox add constraint inbox_kind_known
  check (kind = any (array['said', 'enrolled', 'asked', 'woke'])) ${unchecked};
alter table inbox add constraint inbox_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table inbox add constraint inbox_status_known
  check (status = any (array['waiting', 'claimed', 'done'])) ${unchecked};
alter table inbox add constraint inbox_wish_known
  check (wish = any (array['stop', 'revoke', 'start', 'help', 'helped'])) ${unchecked};
