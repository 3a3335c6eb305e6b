-- V33_01 says what these checks are.
alter table participant_import add constraint participant_import_status_known
  check (status = any (array['previewed', 'running', 'done', 'forgotten'])) ${unchecked};
