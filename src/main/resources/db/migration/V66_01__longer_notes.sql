-- A note has at most 300 characters, and H2 counts one outside the Basic Multilingual Plane, such as an emoji, as two.
alter table outcome_change alter column note set data type varchar(600);
