-- The timeline of a participant puts entries of the audit log between messages, which have study time.
alter table audit_event add column study_at timestamp(6) with time zone;
