-- As long as the column reason, which takes the same sentences.
alter table outbox alter column withheld set data type varchar(1000);
