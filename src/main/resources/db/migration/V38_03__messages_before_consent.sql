-- Messages that were written before the participant consented: no model sees them.
alter table message add column before_consent boolean default false not null;
