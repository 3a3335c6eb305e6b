-- V33_01 says what this check is.
alter table session drop constraint session_role_known;
alter table session add constraint session_role_known
  check (role = any (array['deidentified', 'viewer', 'researcher', 'staff', 'safety', 'admin'])) ${unchecked};
alter table session add column account_id varchar(40);
-- whether an account has safety beside its role
alter table session add column safety boolean default false not null;
create index session_of_account on session (account_id);
