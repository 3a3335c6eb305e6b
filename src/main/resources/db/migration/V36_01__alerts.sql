-- Alerts to staff about a crisis. There is no foreign key to incident; V33_01 says why.
create table alert (
  id          varchar(40) primary key,
  incident_id varchar(40) not null,
  round_no    integer not null,
  channel        varchar(16) not null,
  recipient   varchar(200) not null,
  status      varchar(16) not null,
  attempts    integer not null,
  planned_at  timestamp(6) with time zone not null,
  next_at     timestamp(6) with time zone not null,
  sent_at     timestamp(6) with time zone,
  fault       varchar(16),
  constraint alert_channel_known check (channel = any (array['email', 'webhook'])),
  constraint alert_status_known check (status = any (array['planned', 'sent', 'dropped'])),
  constraint alert_fault_known check (fault = any (array['unreachable', 'too_slow', 'refused', 'misconfigured'])),
  constraint alert_once unique (incident_id, round_no, channel)
);
create index alert_waiting on alert (status, next_at);
