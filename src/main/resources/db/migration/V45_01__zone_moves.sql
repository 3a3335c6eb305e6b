-- A move to another time zone that a participant announced, and the first local date there. Both are null if none is
-- planned. The date is a varchar(10) like every other local date.
alter table participant add column next_timezone varchar(64);
alter table participant add column next_timezone_from varchar(10);
alter table participant add constraint participant_next_timezone_whole
  check ((next_timezone is null) = (next_timezone_from is null)) ${unchecked};
