-- Texts without personal data that many records name by the SHA-256 of their bytes in UTF-8. Each is kept once.
create table shared_content (
    sha256     varchar(64) primary key,
    kind       varchar(16) not null,
    content    varchar(4000000) not null,
    first_seen timestamp(6) with time zone not null,
    constraint shared_content_kind_known check (kind = any (array['tools']))
);
-- What the request of a model call held beside its messages, and what of them is stored elsewhere. Null in older rows.
alter table iteration add column request varchar(100000);
