-- V33_01 says what these checks are.
alter table unclaimed_text add constraint unclaimed_text_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table unclaimed_text add constraint unclaimed_text_status_known
  check (status = any (array['waiting', 'claimed', 'dismissed', 'erased'])) ${unchecked};
alter table unclaimed_text add constraint unclaimed_text_told_known
  check (told = any (array['stop', 'revoke', 'start', 'help', 'helped'])) ${unchecked};
