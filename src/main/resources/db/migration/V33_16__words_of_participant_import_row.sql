-- V33_01 says what these checks are.
alter table participant_import_row add constraint participant_import_row_status_known
  check (status = any (array['would_enrol', 'waiting', 'enrolled', 'duplicate', 'error'])) ${unchecked};
