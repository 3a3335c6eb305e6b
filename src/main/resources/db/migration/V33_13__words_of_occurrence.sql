-- V33_01 says what these checks are.
alter table occurrence add constraint occurrence_status_known
  check (status = any (array['planned', 'prompting', 'sent', 'refused', 'missed', 'cancelled'])) ${unchecked};
