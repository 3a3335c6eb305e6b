-- The crisis that a text belongs to: no model sees such a text.
alter table inbox add column incident_id varchar(40);
