-- The crisis that a message belongs to: no model sees such a message.
alter table message add column incident_id varchar(40);
