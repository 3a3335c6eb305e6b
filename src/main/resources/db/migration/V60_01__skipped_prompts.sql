-- V33_01 says what this check is.
alter table occurrence drop constraint occurrence_status_known;
alter table occurrence add constraint occurrence_status_known
  check (status = any (array['planned', 'prompting', 'sent', 'refused', 'missed', 'cancelled', 'skipped'])) ${unchecked};
