-- Why a text waits, and what the provider's error of the last attempt means: words of enums, which stood only inside
-- the sentence beside them. What waits now keeps its reason.
alter table outbox add column hold varchar(20);
alter table outbox add column failure varchar(20);
alter table outbox add column failure_code varchar(200);
update outbox set hold = 'sender_stopped' where open = true and status = 'planned' and reason like 'configuration: %';
update outbox set hold = 'channel_missing'
  where open = true and status = 'planned' and reason like 'the channel % is not configured';
update outbox set hold = 'allowed_hours'
  where open = true and status = 'planned' and reason = 'it could not leave in time and waits for the allowed hours';

-- Why a model failed in a turn, and whether staff are to answer what was said, who keep the coach silent.
alter table turn add column model_failure varchar(20);
alter table turn add column held_by_staff boolean default false not null;
update turn set held_by_staff = true
  where outcome in ('not_for_the_coach', 'taken_over') and reason like 'staff hold the conversation%';

-- How the line learned that a number opted out.
update address set opted_out_by = case opted_out_by
  when 'free words' then 'free_words'
  when 'from the provider''s list after an erasure' then 'provider_list'
  when 'from a number that is not enrolled' then 'not_enrolled'
  when 'before the line knew whose text it was' then 'unknown_sender'
  else opted_out_by end
  where opted_out_by is not null;
update suppressed_number set opted_out_by = case opted_out_by
  when 'free words' then 'free_words'
  when 'from the provider''s list after an erasure' then 'provider_list'
  when 'from a number that is not enrolled' then 'not_enrolled'
  when 'before the line knew whose text it was' then 'unknown_sender'
  else opted_out_by end
  where opted_out_by is not null;
