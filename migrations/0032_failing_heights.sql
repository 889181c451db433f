-- Heights that access nodes fail to serve, while ingestion waits for them, and heights that were given up as a whole.

create table raw.failing_heights (
  height bigint primary key,
  ingester text not null,
  reason text not null,
  attempts integer not null default 1,
  failing_since timestamptz not null default now(),
  last_failed_at timestamptz not null default now(),
  skip_requested_at timestamptz
);

comment on table raw.failing_heights is 'Settled heights that no access node has served for a while. An ingester waits for each; it is recorded in raw.unavailable after UNAVAILABLE_AFTER_S, or when an operator skips it.';
comment on column raw.failing_heights.height is 'Height of the block.';
comment on column raw.failing_heights.ingester is 'Ingester that waits for it: main_ingester or history_ingester.';
comment on column raw.failing_heights.reason is 'Message of the last failure.';
comment on column raw.failing_heights.attempts is 'Failures since failing_since that were recorded.';
comment on column raw.failing_heights.failing_since is 'First failure that was recorded.';
comment on column raw.failing_heights.last_failed_at is 'Last failure.';
comment on column raw.failing_heights.skip_requested_at is 'When an operator asked to skip the height; null where none did.';

comment on table raw.unavailable is 'Blocks and parts of blocks that no access node can serve: the hole is recorded, with its reason.';
comment on column raw.unavailable.part is 'block (the whole height; it is not in raw.blocks), transactions, results, or result (of one transaction).';

create index unavailable_blocks on raw.unavailable (block_height) where part = 'block';
