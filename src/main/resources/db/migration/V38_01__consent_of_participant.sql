-- How far a participant is with the study's question for consent. V33_01 says what the check is. Rows of before have
-- consented to nothing that Habitline knows of.
alter table participant add column consent varchar(16) default 'not_asked' not null;
alter table participant add column consent_version varchar(100);
alter table participant add column consent_at timestamp(6) with time zone;
alter table participant add column consent_min_age integer default 0 not null;
alter table participant add column consent_unclear integer default 0 not null;
alter table participant add constraint participant_consent_known
  check (consent = any (array[
    'not_asked', 'age_asked', 'asked', 'given', 'elsewhere', 'declined', 'not_eligible', 'left_to_staff'])) ${unchecked};
