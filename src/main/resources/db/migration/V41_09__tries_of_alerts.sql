-- When an alert by e-mail or webhook was last tried, and what the webhook's server answered if that failed.
alter table alert add column tried_at timestamp(6) with time zone;
alter table alert add column http_status integer;

-- An alert by SMS without a sender. V33_01 says what this check is.
alter table alert drop constraint alert_fault_known;
alter table alert add constraint alert_fault_known
  check (fault = any (array[
    'unreachable', 'too_slow', 'refused', 'misconfigured', 'no_sender', 'opted_out', 'undelivered'])) ${unchecked};
