-- The model that answered, of a code of a model; null if its server named none, and in rows from before.
alter table outcome_code add column model_returned varchar(200);
