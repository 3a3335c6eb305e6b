-- What a fixed text was about; null if it did not arrive, and for all other entries.
alter table incident_entry add column about varchar(32);
alter table incident_entry add constraint incident_entry_about_known check (about = any (array[
  'overdose_or_medical', 'suicide_or_self_harm', 'abuse', 'threat_to_others']));
update incident_entry set about = (select i.answered_for from incident i where i.id = incident_entry.incident_id)
where kind = 'sent';
