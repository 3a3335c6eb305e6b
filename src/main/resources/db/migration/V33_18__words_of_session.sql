-- V33_01 says what these checks are.
alter table session add constraint session_role_known
  check (role = any (array['researcher', 'staff', 'admin'])) ${unchecked};
