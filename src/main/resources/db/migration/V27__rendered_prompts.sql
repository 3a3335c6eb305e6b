-- The text behind every hash of a prompt file with a flow's texts and times filled in.
create table prompt_rendering (
  sha256      varchar(64) primary key,
  -- the file as it was
  text_sha256 varchar(64) not null references prompt_text (sha256),
  file        varchar(200) not null,
  content     varchar(1000000) not null,
  first_seen  timestamp(6) with time zone not null
);
