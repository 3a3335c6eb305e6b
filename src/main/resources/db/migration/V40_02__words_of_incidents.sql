-- When the words of a released incident were removed, because their retention was over.
alter table incident add column words_removed_at timestamp(6) with time zone;
