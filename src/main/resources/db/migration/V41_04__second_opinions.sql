-- The second opinion about the texts of a turn, without their words. A resumed turn finds it here and asks nobody again.
-- There is no foreign key to participant; V33_01 says why.
create table second_opinion (
  participant_id    varchar(40) not null,
  turn              integer not null,
  source            varchar(16) not null,
  status            varchar(16) not null,
  level             varchar(16) not null,
  kind              varchar(32),
  language          varchar(16),
  model             varchar(200) not null,
  prompt_sha256     varchar(64),
  prompt_tokens     bigint not null,
  completion_tokens bigint not null,
  latency_millis    bigint not null,
  recorded_at       timestamp(6) with time zone not null,
  primary key (participant_id, turn),
  constraint second_opinion_source_known check (source = any (array['model', 'moderation'])),
  constraint second_opinion_status_known check (status = any (array['given', 'too_slow', 'failed', 'unreadable'])),
  constraint second_opinion_level_known check (level = any (array['none', 'concern', 'crisis'])),
  constraint second_opinion_kind_known check (kind = any (array[
    'overdose_or_medical', 'suicide_or_self_harm', 'abuse', 'threat_to_others', 'danger', 'adverse_event',
    'medication_stopped', 'wants_a_person', 'other', 'underage']))
);
create index second_opinion_by_time on second_opinion (recorded_at);
