-- V33_01 says what these checks are.
alter table sender_alias add constraint sender_alias_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
