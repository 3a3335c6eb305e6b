-- V33_01 says what this check is.
alter table session drop constraint session_role_known;
alter table session add constraint session_role_known
  check (role = any (array['deidentified', 'researcher', 'staff', 'safety', 'admin'])) ${unchecked};
