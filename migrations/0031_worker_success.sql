-- When ranges failed and when workers succeeded, so that ranges are halved only while their worker succeeds elsewhere.

alter table app.worker_leases add column failed_at timestamptz;
comment on column app.worker_leases.failed_at is 'When a run of it last ended without success; null before the first such run.';

alter table app.indexing_checkpoints add column succeeded_at timestamptz;
comment on column app.indexing_checkpoints.succeeded_at is 'When the newest folded lease of the worker was done; null for ingesters and before the first.';
