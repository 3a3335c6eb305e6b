-- What was in force from when on: the program's version, files and settings. The content is in shared_content, under its SHA-256. A
-- version is in force until the next one begins. Numbers have no gaps.
create table configuration_version (
    number   bigint primary key,
    sha256   varchar(64) not null,
    node     varchar(255) not null,
    began_at timestamp(6) with time zone not null,
    reason   varchar(16) not null,
    constraint configuration_version_content foreign key (sha256) references shared_content (sha256),
    constraint configuration_version_reason_known check (reason = any (array['start', 'prompt_edit']))
);
alter table shared_content drop constraint shared_content_kind_known;
alter table shared_content add constraint shared_content_kind_known
    check (kind = any (array['tools', 'configuration', 'flow', 'study', 'words']));
-- The version in force when the turn began. Null in older turns.
alter table turn add column configuration bigint;
