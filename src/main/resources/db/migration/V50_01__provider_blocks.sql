-- Whether the provider itself blocks an opted-out number, as far as it said so. asked_back_at: when the participant last
-- asked for messages again in a word that the provider does not take for a START.
alter table address add column provider_blocks boolean default false not null;
alter table address add column asked_back_at timestamp(6) with time zone;
update address set provider_blocks = true where opted_out = true and opted_out_by = 'provider';
create index address_asked_back on address (asked_back_at);
