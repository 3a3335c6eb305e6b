-- Columns that hold the word of an enum accept its words only. SchemaTest compares these lists with the enums. A later
-- version that adds a word replaces the constraint before any node writes the word.
--
-- Rows that are there already are not read: on large tables that would keep others waiting. Every insert and every
-- update is checked from now on.
--
-- = any (array[…]) and not in (…): H2 keeps the connection that wrote an in (…) and fails once it is closed.
--
-- Not checked: opted_out_by, which nodes of the previous version fill with sentences while an update runs, and
-- delivery_event.status, which is the provider's word.
--
-- No foreign key leads from these tables to participant. PostgreSQL locks the referenced row for every insert, and that
-- lock waits for a transaction that holds the participant: a webhook could not store a text while a turn commits. An
-- erasure deletes in small steps and leaves rows without a participant for a while on purpose.
--
-- local_date stays varchar(10), wall_time stays varchar(20), and message.conversation_id stays, because nodes of the
-- previous version write them while an update runs, and PostgreSQL does not convert a varchar to a date on its own.
alter table participant add constraint participant_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table participant add constraint participant_status_known
  check (status = any (array['active', 'paused', 'completed', 'withdrawn'])) ${unchecked};
alter table participant add constraint participant_erasing_known
  check (erasing = any (array['no', 'all', 'keep_transcript'])) ${unchecked};
alter table sender_alias add constraint sender_alias_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table erasure add constraint erasure_status_known
  check (status = any (array['waiting', 'rewriting', 'done'])) ${unchecked};
alter table inbox add constraint inbox_kind_known
  check (kind = any (array['said', 'enrolled', 'asked', 'woke'])) ${unchecked};
alter table inbox add constraint inbox_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table inbox add constraint inbox_status_known
  check (status = any (array['waiting', 'claimed', 'done'])) ${unchecked};
alter table inbox add constraint inbox_wish_known
  check (wish = any (array['stop', 'revoke', 'start', 'help', 'helped'])) ${unchecked};
alter table unclaimed_text add constraint unclaimed_text_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table unclaimed_text add constraint unclaimed_text_status_known
  check (status = any (array['waiting', 'claimed', 'dismissed', 'erased'])) ${unchecked};
alter table unclaimed_text add constraint unclaimed_text_told_known
  check (told = any (array['stop', 'revoke', 'start', 'help', 'helped'])) ${unchecked};
alter table outbox add constraint outbox_kind_known
  check (kind = any (array[
    'reply', 'prompt_now', 'prompt', 'intensity', 'reminder', 'check_in', 'staff', 'debug', 'scripted', 'chosen',
    'status', 'help', 'confirmation', 'notice'])) ${unchecked};
alter table outbox add constraint outbox_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table outbox add constraint outbox_status_known
  check (status = any (array[
    'refused', 'failed', 'undelivered', 'canceled', 'unknown', 'looking', 'planned', 'sending', 'scheduled',
    'accepted', 'queued', 'sent', 'delivered', 'read'])) ${unchecked};
alter table outbox add constraint outbox_hold_known
  check (hold = any (array['sender_stopped', 'allowed_hours', 'channel_missing', 'carrier_hours', 'retry'])) ${unchecked};
alter table outbox add constraint outbox_failure_known
  check (failure = any (array[
    'never_processed', 'may_have_gone_out', 'once_more', 'quiet_hours', 'next_day', 'not_by_rcs', 'window_closed',
    'misconfigured', 'opted_out', 'bad_number', 'final'])) ${unchecked};
alter table delivery_event add constraint delivery_event_fate_known
  check (fate = any (array[
    'never_processed', 'may_have_gone_out', 'once_more', 'quiet_hours', 'next_day', 'not_by_rcs', 'window_closed',
    'misconfigured', 'opted_out', 'bad_number', 'final'])) ${unchecked};
alter table sender add constraint sender_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table simulated_fault add constraint simulated_fault_kind_known
  check (kind = any (array['delay', 'failure'])) ${unchecked};
alter table turn add constraint turn_status_known
  check (status = any (array['running', 'done', 'failed'])) ${unchecked};
alter table turn add constraint turn_kind_known
  check (kind = any (array['said', 'enrolled', 'asked', 'woke'])) ${unchecked};
alter table turn add constraint turn_outcome_known
  check (outcome = any (array[
    'replied', 'not_for_the_coach', 'braked', 'taken_over', 'woke', 'asked', 'dropped', 'model_failed', 'refused',
    'content_filtered', 'no_text', 'no_context', 'crashed', 'cancelled'])) ${unchecked};
alter table turn add constraint turn_model_failure_known
  check (model_failure = any (array[
    'no_credit', 'unknown_model', 'key_refused', 'too_much', 'server_broken', 'too_late', 'other'])) ${unchecked};
alter table message add constraint message_role_known
  check (role = any (array['user', 'assistant'])) ${unchecked};
alter table message add constraint message_channel_known
  check (channel = any (array['sms', 'whatsapp', 'simulator'])) ${unchecked};
alter table message add constraint message_author_known
  check (author = any (array['participant', 'bot', 'staff'])) ${unchecked};
alter table scripted_text add constraint scripted_text_status_known
  check (status = any (array['queued', 'cancelled', 'failed', 'waiting'])) ${unchecked};
alter table occurrence add constraint occurrence_status_known
  check (status = any (array['planned', 'prompting', 'sent', 'refused', 'missed', 'cancelled'])) ${unchecked};
alter table wakeup add constraint wakeup_kind_known
  check (kind = any (array[
    'daily_prompt', 'reminder', 'auto_feedback', 'check_in', 'follow_up', 'transition', 'hand_back', 'scripted'])) ${unchecked};
alter table wakeup add constraint wakeup_status_known
  check (status = any (array['waiting', 'rung', 'done', 'dropped', 'cancelled'])) ${unchecked};
alter table participant_import add constraint participant_import_status_known
  check (status = any (array['previewed', 'running', 'done', 'forgotten'])) ${unchecked};
alter table participant_import_row add constraint participant_import_row_status_known
  check (status = any (array['would_enrol', 'waiting', 'enrolled', 'duplicate', 'error'])) ${unchecked};
alter table api_key add constraint api_key_role_known
  check (role = any (array['researcher', 'staff', 'admin', 'metrics'])) ${unchecked};
alter table session add constraint session_role_known
  check (role = any (array['researcher', 'staff', 'admin'])) ${unchecked};
