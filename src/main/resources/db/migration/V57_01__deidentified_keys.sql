-- V33_01 says what this check is. A key of a researcher that shows de-identified data only has a role of its own.
alter table api_key drop constraint api_key_role_known;
alter table api_key add constraint api_key_role_known
  check (role = any (array['deidentified', 'researcher', 'staff', 'safety', 'admin', 'metrics'])) ${unchecked};
