-- Fields of participants that staff added with an import, besides those of config/study.yaml. Every node reads them.
create table added_field (
  name     varchar(40) primary key,
  label    varchar(100) not null,
  added_by varchar(200) not null,
  added_at timestamp(6) with time zone not null
);
