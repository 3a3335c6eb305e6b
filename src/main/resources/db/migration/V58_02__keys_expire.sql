-- V33_01 says what this check is.
alter table api_key drop constraint api_key_role_known;
alter table api_key add constraint api_key_role_known
  check (role = any (array['deidentified', 'viewer', 'researcher', 'staff', 'safety', 'admin', 'metrics'])) ${unchecked};
alter table api_key add column owner varchar(200);
-- null: never
alter table api_key add column expires_at timestamp(6) with time zone;
alter table api_key add column last_used_at timestamp(6) with time zone;
