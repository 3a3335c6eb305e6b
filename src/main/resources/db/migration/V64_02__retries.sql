-- Wake-ups that let the coach reply to a text whose turn failed. V33_01 says what this check is.
alter table wakeup drop constraint wakeup_kind_known;
alter table wakeup add constraint wakeup_kind_known
  check (kind = any (array[
    'daily_prompt', 'reminder', 'auto_feedback', 'check_in', 'follow_up', 'transition', 'hand_back', 'scripted',
    'zone_move', 'nudge', 'retry'])) ${unchecked};
