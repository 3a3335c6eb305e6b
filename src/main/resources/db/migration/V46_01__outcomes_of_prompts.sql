-- What came of a daily prompt, apart from whether there was a reply: null until somebody says. It replaces "done".
-- asked_at: when the question about it was asked, with the prompt or later. question_open: no text has come since.
alter table occurrence add column outcome varchar(16);
alter table occurrence add column asked_at timestamp(6) with time zone;
alter table occurrence add column question_open boolean default false not null;
update occurrence set outcome = 'done' where done = true;
update occurrence set asked_at = prompted_at, question_open = (responded_at is null)
  where status = any (array['prompting', 'sent']) and prompted_at is not null;
alter table occurrence drop column done;
alter table occurrence add constraint occurrence_outcome_known
  check (outcome = any (array['done', 'partly', 'not_done']));
