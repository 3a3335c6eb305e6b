-- V33_01 says what these checks are.
alter table api_key add constraint api_key_role_known
  check (role = any (array['researcher', 'staff', 'admin', 'metrics'])) ${unchecked};
