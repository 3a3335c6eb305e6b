-- V33_01 says what these checks are.
alter table turn drop constraint turn_outcome_known;
alter table turn add constraint turn_outcome_known
  check (outcome = any (array[
    'replied', 'not_for_the_coach', 'braked', 'taken_over', 'woke', 'asked', 'dropped', 'model_failed', 'other_model',
    'refused', 'content_filtered', 'gated', 'no_text', 'no_context', 'crashed', 'cancelled'])) ${unchecked};
alter table turn drop constraint turn_model_failure_known;
alter table turn add constraint turn_model_failure_known
  check (model_failure = any (array[
    'no_credit', 'unknown_model', 'key_refused', 'too_much', 'server_broken', 'too_late', 'other_model', 'other'])) ${unchecked};
