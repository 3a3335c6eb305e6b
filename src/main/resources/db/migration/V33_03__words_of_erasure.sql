-- V33_01 says what these checks are.
alter table erasure add constraint erasure_status_known
  check (status = any (array['waiting', 'rewriting', 'done'])) ${unchecked};
