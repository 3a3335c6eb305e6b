-- V33_01 says what this check is.
alter table turn drop constraint turn_outcome_known;
alter table turn add constraint turn_outcome_known
  check (outcome = any (array[
    'replied', 'not_for_the_coach', 'braked', 'taken_over', 'woke', 'asked', 'dropped', 'model_failed', 'refused',
    'content_filtered', 'gated', 'no_text', 'no_context', 'crashed', 'cancelled'])) ${unchecked};
