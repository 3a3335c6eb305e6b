-- The language that a participant is written to in, such as es; null is the default of their flow.
alter table participant add column language varchar(20);
