-- V33_01 says what this check is.
alter table incident_entry drop constraint incident_entry_kind_known;
alter table incident_entry add constraint incident_entry_kind_known check (kind = any (array[
  'text', 'flag', 'opinion', 'sent', 'not_sent', 'acknowledged', 'attempt', 'contact', 'decision', 'released'])) ${unchecked};
