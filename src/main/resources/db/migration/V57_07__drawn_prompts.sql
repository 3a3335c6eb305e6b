-- The place of a prompt with a reply in the random order in which staff code outcomes: a keyed hash, see DoubleCoding. Null until it is
-- drawn.
alter table occurrence add column coding_token varchar(32);
create index occurrence_drawn on occurrence (coding_token, responded_at);
