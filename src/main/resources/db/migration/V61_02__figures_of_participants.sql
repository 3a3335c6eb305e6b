-- For lists of participants: when each was last heard from, their last and next prompt, and how many they answered.
create index message_heard on message (participant_id, author, created_at);
create index occurrence_of on occurrence (participant_id, status, due_at, responded_at);
