-- Test alerts. Their alerts are rows of alert with the test's id as incident_id. slot: the week's time for which the
-- test was sent, null if a person sent it. roads: a hash of the roads that were tested. passed_at: when it was
-- acknowledged and had been sent on two roads.
create table alert_test (
  id              varchar(40) primary key,
  started_at      timestamp(6) with time zone not null,
  started_by      varchar(200) not null,
  slot            timestamp(6) with time zone unique,
  roads           varchar(64) not null,
  acknowledged_at timestamp(6) with time zone,
  acknowledged_by varchar(200),
  passed_at       timestamp(6) with time zone
);
create index alert_test_by_start on alert_test (started_at);
