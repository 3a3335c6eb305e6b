-- Short words by which the team groups participants, in lower case.
create table participant_tag (
    participant_id varchar(40) not null,
    tag            varchar(40) not null,
    primary key (participant_id, tag)
);
create index participant_tag_by_tag on participant_tag (tag, participant_id);
