-- The tag that an action adds or removes, once somebody has chosen it.
alter table bulk_action add column tag varchar(40);
alter table bulk_action drop constraint bulk_action_kind_known;
alter table bulk_action add constraint bulk_action_kind_known
  check (kind = any (array['pause', 'resume', 'message', 'tag', 'untag'])) ${unchecked};
alter table bulk_target drop constraint bulk_target_reason_known;
alter table bulk_target add constraint bulk_target_reason_known
  check (reason = any (array[
    'opted_out', 'no_consent', 'paused', 'completed', 'withdrawn', 'already_active', 'incident', 'taken_over',
    'window_closed', 'country', 'channel_missing', 'has_tag', 'lacks_tag', 'too_many_tags', 'gone', 'fault'])) ${unchecked};
