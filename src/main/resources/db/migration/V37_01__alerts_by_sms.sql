-- Alerts by SMS go through the outbox. V33_01 says what these checks are.
alter table alert drop constraint alert_channel_known;
alter table alert add constraint alert_channel_known
  check (channel = any (array['email', 'webhook', 'sms'])) ${unchecked};
alter table alert drop constraint alert_status_known;
alter table alert add constraint alert_status_known
  check (status = any (array['planned', 'sending', 'sent', 'failed', 'dropped'])) ${unchecked};
alter table alert drop constraint alert_fault_known;
alter table alert add constraint alert_fault_known
  check (fault = any (array[
    'unreachable', 'too_slow', 'refused', 'misconfigured', 'opted_out', 'undelivered'])) ${unchecked};
