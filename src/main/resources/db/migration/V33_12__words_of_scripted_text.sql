-- V33_01 says what these checks are.
alter table scripted_text add constraint scripted_text_status_known
  check (status = any (array['queued', 'cancelled', 'failed', 'waiting'])) ${unchecked};
