-- The RCS agent that a text was last tried from: Twilio's list may not show what went out by RCS. Empty for a number.
alter table outbox add column sent_from varchar(200);

-- Hashes of a turn's prompt files with the flow's texts and times filled in, by file, as JSON. Beside what is pinned,
-- which nodes of the version before read as well.
alter table turn add column rendered varchar(100000);
