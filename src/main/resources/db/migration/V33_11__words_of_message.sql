-- V33_01 says what these checks are.
alter table message add constraint message_role_known
  check (role = any (array['user', 'assistant'])) ${unchecked};
alter table message add constraint message_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table message add constraint message_author_known
  check (author = any (array['participant', 'bot', 'staff'])) ${unchecked};
