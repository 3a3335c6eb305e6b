-- When an acknowledged crisis opened again because of a new text.
alter table incident add column reopened_at timestamp(6) with time zone;
