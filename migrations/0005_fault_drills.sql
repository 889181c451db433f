-- Faults that an operator sets on purpose, to see what the farm does with a range that fails.

create table app.fault_drills (
  worker_type text primary key,
  from_height bigint not null,
  to_height bigint not null,
  reason text,
  created_at timestamptz not null default now(),
  check (from_height >= 0 and from_height < to_height)
);

comment on table app.fault_drills is 'Faults set on purpose: ranges of these heights fail with the code fault-drill until the row is removed.';
comment on column app.fault_drills.worker_type is 'Name of the worker.';
comment on column app.fault_drills.from_height is 'First height that fails.';
comment on column app.fault_drills.to_height is 'End of the heights that fail, exclusive.';
comment on column app.fault_drills.reason is 'What for, as the operator gave it.';
comment on column app.fault_drills.created_at is 'When it was set.';
