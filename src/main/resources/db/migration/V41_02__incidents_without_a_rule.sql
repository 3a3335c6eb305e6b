-- Incidents that the coach or a second opinion opens. An urgent one alerts staff although coaching goes on.
alter table incident add column urgent boolean default false not null;

-- V33_01 says what these checks are.
alter table incident drop constraint incident_kind_known;
alter table incident add constraint incident_kind_known check (kind = any (array[
  'overdose_or_medical', 'suicide_or_self_harm', 'abuse', 'threat_to_others', 'danger', 'adverse_event',
  'medication_stopped', 'wants_a_person', 'other', 'underage'])) ${unchecked};
alter table incident drop constraint incident_answered_for_known;
alter table incident add constraint incident_answered_for_known check (answered_for = any (array[
  'overdose_or_medical', 'suicide_or_self_harm', 'abuse', 'threat_to_others', 'danger', 'adverse_event',
  'medication_stopped', 'wants_a_person', 'other', 'underage'])) ${unchecked};
alter table incident_entry drop constraint incident_entry_about_known;
alter table incident_entry add constraint incident_entry_about_known check (about = any (array[
  'overdose_or_medical', 'suicide_or_self_harm', 'abuse', 'threat_to_others', 'danger', 'adverse_event',
  'medication_stopped', 'wants_a_person', 'other', 'underage'])) ${unchecked};
