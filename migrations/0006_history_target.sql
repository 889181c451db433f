-- Where history is to end, so that a process without an ingester can tell how much of it is missing.

alter table app.indexing_checkpoints add column target_height bigint;

comment on column app.indexing_checkpoints.target_height is 'history_ingester: the lowest height that it is to bring, HISTORY_STOP_HEIGHT or the lowest that the nodes serve; null for all others, and until it knows.';
