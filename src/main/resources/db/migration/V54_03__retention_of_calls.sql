-- When the words of a model call were cleared; its model, tokens and times stay.
alter table iteration add column cleared_at timestamp(6) with time zone;
