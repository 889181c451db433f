-- Neighbouring heights that fail for one cause share one clock; blocks that cannot be stored are given up as those that no node serves.

alter table raw.failing_heights add column cause text not null default 'nodes-failed', add column given_up_at timestamptz;

comment on table raw.failing_heights is 'Settled heights that no access node has served, or that could not be stored, for a while. An ingester waits for each; it is recorded in raw.unavailable after UNAVAILABLE_AFTER_S, or when an operator skips it.';
comment on column raw.failing_heights.failing_since is 'First failure that was recorded, of this height or of the neighbour that was given up before it for the same cause.';
comment on column raw.failing_heights.cause is 'Code of the last failure: nodes-failed, rows-refused (PostgreSQL does not take its rows), wrong-parent, unreadable.';
comment on column raw.failing_heights.given_up_at is 'When ingestion gave the height up; null while it waits for it.';

create index failing_heights_waiting on raw.failing_heights (failing_since, height) where given_up_at is null;
