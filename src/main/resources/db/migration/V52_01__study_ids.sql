-- The study's own id of a participant, such as S-0042; null if the study gives none.
alter table participant add column study_id varchar(64);
alter table participant add constraint participant_study_id_unique unique (study_id);
