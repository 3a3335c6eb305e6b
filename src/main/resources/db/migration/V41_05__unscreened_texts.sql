-- Texts that a version without crisis rules stored and nobody has handled: the next start applies the rules to them.
create table unscreened_text (
  text_id varchar(128) primary key
);
insert into unscreened_text (text_id) select i.provider_id from inbox i
where i.kind = 'said' and i.status <> 'done' and not exists (select 1 from incident_entry e where e.text_id = i.provider_id);
insert into unscreened_text (text_id)
select t.provider_id from unclaimed_text t
where t.status = 'waiting' and not exists (select 1 from inbox i where i.provider_id = t.provider_id)
  and not exists (select 1 from incident_entry e where e.text_id = t.provider_id);
