-- What the overviews of staff look up among everybody: what needs attention now, and the study by day.

-- Study time at which a text was planned; the other times of the outbox are the machine's.
alter table outbox add column said_at timestamp(6) with time zone;
update outbox set said_at = planned_at;
create index outbox_by_status on outbox (status, said_at);

-- What a model call is charged as, which stood only inside its answer.
alter table iteration add column model varchar(200);
alter table iteration add column prompt_tokens bigint;
alter table iteration add column completion_tokens bigint;
update iteration set
  model = substring(replace(replace(coalesce(
      regexp_substr(answer, '"modelReturned":"[^"]+"'),
      regexp_substr(answer, '"modelAsked":"[^"]+"')), '"', ''), 'modelReturned:', '') from 1 for 200),
  prompt_tokens = cast(regexp_substr(regexp_substr(answer, '"promptTokens":[0-9]+'), '[0-9]+') as bigint),
  completion_tokens = cast(regexp_substr(regexp_substr(answer, '"completionTokens":[0-9]+'), '[0-9]+') as bigint)
where answer is not null;
update iteration set model = replace(model, 'modelAsked:', '') where model is not null;
create index iteration_at on iteration (started_at, participant_id, model, prompt_tokens, completion_tokens);

create index message_at on message (created_at, participant_id, author);
create index turn_by_outcome on turn (outcome, completed_at);
create index occurrence_by_date on occurrence (local_date, status);
create index participant_by_status on participant (status, erasing, seq);
