-- V33_01 says what these checks are.
alter table sender add constraint sender_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
