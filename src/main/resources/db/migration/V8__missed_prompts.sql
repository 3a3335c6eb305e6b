-- For who looks whether prompts were missed of late.
create index occurrence_by_status on occurrence (status, due_at);
