-- How an incident ends in which somebody may be too young. V33_01 says what this check is.
alter table incident drop constraint incident_outcome_known;
alter table incident add constraint incident_outcome_known check (outcome = any (array[
  'no_concern_found', 'referred', 'emergency_services', 'not_reached', 'age_confirmed', 'withdrawn_underage',
  'guardian_contacted', 'study_team_contacted', 'erased'])) ${unchecked};
