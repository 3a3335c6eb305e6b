-- What a text is charged as: how many segments, in which alphabet. Texts planned before count as one.
alter table outbox add column segments integer default 1 not null;
alter table outbox add column encoding varchar(8);
