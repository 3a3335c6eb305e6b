-- Lists of people are corrected before they are confirmed. defaults holds the cells that count where a row's own is
-- blank, and unknown_columns the columns whose meaning nobody has said yet, both as JSON. version grows with every
-- correction. V33_01 says what the checks are.
alter table participant_import add column defaults varchar(2000);
alter table participant_import add column unknown_columns varchar(20000);
alter table participant_import add column version integer default 0 not null;
alter table participant_import drop constraint participant_import_status_known;
alter table participant_import add constraint participant_import_status_known
  check (status = any (array['unmapped', 'previewed', 'running', 'done', 'forgotten'])) ${unchecked};
alter table participant_import_row drop constraint participant_import_row_status_known;
alter table participant_import_row add constraint participant_import_row_status_known
  check (status = any (array['would_enrol', 'waiting', 'enrolled', 'duplicate', 'error', 'left_out'])) ${unchecked};
