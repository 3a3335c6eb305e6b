-- Staff change a profile too: such a change has no turn, but the name of who made it.
alter table profile_change alter column turn drop not null;
alter table profile_change add column changed_by varchar(200);
