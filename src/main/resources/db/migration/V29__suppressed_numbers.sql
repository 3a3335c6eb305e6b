-- Numbers that said STOP and whose owner was erased: as a hash under a key that stands in a file beside the data.
create table suppressed_number (
  hash         varchar(64) primary key,
  opted_out_at timestamp(6) with time zone,
  opted_out_by varchar(200)
);

-- Which key that is: a hash under another one says nothing.
create table suppression_key (
  id          integer primary key,
  fingerprint varchar(64) not null
);
