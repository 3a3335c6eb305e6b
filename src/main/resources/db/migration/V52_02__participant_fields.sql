-- Values of the fields that config/study.yaml names. A field that is removed there keeps its values here.
create table participant_field (
    participant_id varchar(40) not null,
    name           varchar(64) not null,
    field_value    varchar(1000) not null,
    primary key (participant_id, name)
);
