-- V33_01 says what these checks are.
alter table simulated_fault add constraint simulated_fault_kind_known
  check (kind = any (array['delay', 'failure'])) ${unchecked};
