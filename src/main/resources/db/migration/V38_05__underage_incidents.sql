-- V33_01 says what these checks are.
alter table incident drop constraint incident_kind_known;
alter table incident add constraint incident_kind_known check (kind = any (array[
  'overdose_or_medical', 'suicide_or_self_harm', 'abuse', 'threat_to_others', 'underage'])) ${unchecked};
alter table incident drop constraint incident_answered_for_known;
alter table incident add constraint incident_answered_for_known check (answered_for = any (array[
  'overdose_or_medical', 'suicide_or_self_harm', 'abuse', 'threat_to_others', 'underage'])) ${unchecked};
alter table incident_entry drop constraint incident_entry_about_known;
alter table incident_entry add constraint incident_entry_about_known check (about = any (array[
  'overdose_or_medical', 'suicide_or_self_harm', 'abuse', 'threat_to_others', 'underage'])) ${unchecked};
