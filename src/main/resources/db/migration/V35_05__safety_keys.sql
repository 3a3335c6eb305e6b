-- V33_01 says what this check is.
alter table api_key drop constraint api_key_role_known;
alter table api_key add constraint api_key_role_known
  check (role = any (array['researcher', 'staff', 'safety', 'admin', 'metrics'])) ${unchecked};
