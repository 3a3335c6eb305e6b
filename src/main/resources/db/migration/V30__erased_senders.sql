-- Senders of people who were erased, as hashes under the key of suppressed numbers, and when they were erased. Rows go
-- when no provider's list reaches back that far any more.
create table erased_sender (
  hash      varchar(64) primary key,
  erased_at timestamp(6) with time zone not null
);
