-- V33_01 says what these checks are.
alter table wakeup add constraint wakeup_kind_known
  check (kind = any (array[
    'daily_prompt', 'reminder', 'auto_feedback', 'check_in', 'follow_up', 'transition', 'hand_back', 'scripted'])) ${unchecked};
alter table wakeup add constraint wakeup_status_known
  check (status = any (array['waiting', 'rung', 'done', 'dropped', 'cancelled'])) ${unchecked};
