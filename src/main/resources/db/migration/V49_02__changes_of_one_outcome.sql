-- Finds what was recorded about one prompt, for every prompt of a study.
create index outcome_change_of_prompt on outcome_change (participant_id, local_date, slot, seq);
