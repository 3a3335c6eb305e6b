-- When the incident was opened, or opened again, that an alert is about; null for test alerts.
alter table alert add column opening timestamp(6) with time zone;
update alert set opening = (select coalesce(i.reopened_at, i.opened_at) from incident i where i.id = alert.incident_id);
