-- Raw chain data, written by the ingesters in one transaction per batch of blocks and changed only by rollbacks.
-- Keys start with the height, so that a range is written, read and deleted as a unit, and rows arrive in key order:
-- fillfactor 100.

create schema raw;

comment on schema raw is 'Chain data from access nodes, unchanged. Written by the ingesters only.';

create table raw.blocks (
  height bigint not null,
  id bytea not null,
  parent_id bytea not null,
  timestamp timestamptz not null,
  collection_count integer not null,
  tx_count integer not null,
  event_count integer not null,
  collection_ids bytea[] not null,
  primary key (height)
) partition by range (height);

comment on table raw.blocks is 'Block headers, one row per sealed height.';
comment on column raw.blocks.id is 'Block id, 32 bytes.';
comment on column raw.blocks.parent_id is 'Id of the parent block, 32 bytes.';
comment on column raw.blocks.timestamp is 'Block timestamp set by the proposer, UTC.';
comment on column raw.blocks.collection_count is 'Collections guaranteed by the block.';
comment on column raw.blocks.tx_count is 'Transactions, including system transactions.';
comment on column raw.blocks.collection_ids is 'Ids of the guaranteed collections, in order, 32 bytes each.';

-- Fixed-width columns first, widest first: any other order costs 15 bytes of padding a row.
create table raw.transactions (
  block_height bigint not null,
  proposer_sequence_number bigint,
  gas_limit bigint not null,
  gas_used bigint,
  tx_index integer not null,
  collection_index integer,
  proposer_key_index integer,
  event_count integer not null,
  status_code smallint,
  is_evm boolean not null,
  id bytea not null,
  status text not null,
  payer_address text,
  proposer_address text,
  authorizers text[] not null,
  reference_block_id bytea,
  script_hash bytea not null,
  arguments jsonb,
  error_message text,
  signatures bytea,
  primary key (block_height, tx_index) with (fillfactor = 100)
) partition by range (block_height);

comment on table raw.transactions is 'Transactions with their results. System transactions have no payer, and their ids repeat in other blocks.';
comment on column raw.transactions.tx_index is 'Position in the block, from 0. User transactions come before system transactions.';
comment on column raw.transactions.id is 'Transaction id, 32 bytes: SHA3-256 of the encoded body.';
comment on column raw.transactions.collection_index is 'Position of the collection in the block; null for system transactions.';
comment on column raw.transactions.status is 'Status from the access node: SEALED, or UNKNOWN if the result is unavailable.';
comment on column raw.transactions.status_code is '0 succeeded, 1 failed; null if the result is unavailable (see raw.unavailable).';
comment on column raw.transactions.is_evm is 'Whether the script contains the text "import EVM".';
comment on column raw.transactions.payer_address is 'Payer, 0x and 16 hex digits; null for system transactions.';
comment on column raw.transactions.proposer_address is 'Proposer, 0x and 16 hex digits; null for system transactions.';
comment on column raw.transactions.authorizers is 'Authorizers in order, 0x and 16 hex digits each.';
comment on column raw.transactions.reference_block_id is 'Reference block id, 32 bytes; null for system transactions.';
comment on column raw.transactions.script_hash is 'SHA-256 of the script; the text is in raw.scripts.';
comment on column raw.transactions.arguments is 'Arguments as JSON-CDC values, in order; null without arguments. An argument that is not JSON is {"undecoded": "0x…"}.';
comment on column raw.transactions.gas_limit is 'Computation limit.';
comment on column raw.transactions.gas_used is 'Computation used, from the result: 0 if the node does not report it, null if the result is unavailable.';
comment on column raw.transactions.error_message is 'Error message of a failed transaction, with U+0000 escaped as \u0000.';
comment on column raw.transactions.signatures is 'Payload and envelope signatures, protobuf fields 8 and 9 of flow.entities.Transaction; null without signatures.';

-- Transactions whose result no access node serves: few and sparse.
create index transactions_unknown on raw.transactions (block_height, tx_index) where status_code is null;

-- Type and field names repeat in millions of events, so they are stored once in raw.event_shapes. One row per event
-- would take 265 bytes with its index entry. The view raw.events has one row per event.
create table raw.event_shapes (
  id integer generated always as identity primary key,
  hash bytea not null unique check (octet_length(hash) = 32),
  type text not null,
  fields text[] not null
);

-- Types have no length limit and are looked up by equality only, hence a hash index.
create index event_shapes_type on raw.event_shapes using hash (type);

comment on table raw.event_shapes is 'Event types with the names of their fields. A contract update can add another shape for a type. Append-only.';
comment on column raw.event_shapes.id is 'Id used in raw.event_chunks.';
comment on column raw.event_shapes.hash is 'SHA-256 of type and field names, 32 bytes.';
comment on column raw.event_shapes.type is 'Event type, e.g. A.1654653399040a61.FlowToken.TokensDeposited or flow.AccountCreated.';
comment on column raw.event_shapes.fields is 'Field names in the order of the values; empty if the events are undecodable.';

create table raw.event_chunks (
  block_height bigint not null,
  tx_index integer not null,
  first_event_index integer not null,
  shapes integer[] not null,
  payloads json[] not null,
  primary key (block_height, tx_index, first_event_index) with (fillfactor = 100)
) partition by range (block_height);

comment on table raw.event_chunks is 'Events in execution order, up to 64 of one transaction in a row. The view raw.events has one row per event.';
comment on column raw.event_chunks.first_event_index is 'Index of the first event of the row in its transaction: a multiple of 64.';
comment on column raw.event_chunks.shapes is 'Ids in raw.event_shapes, one per event.';
comment on column raw.event_chunks.payloads is 'Field values of each event as a JSON array: numbers as decimal strings, addresses as 0x and 16 hex digits, byte arrays as 0x hex. Null if undecodable; the bytes are then in raw.indexing_errors.';

-- Values over 2 KB are compressed. lz4 takes a fifth of the time of pglz, but some servers are built without it.
do $$
begin
  alter table raw.event_chunks alter column payloads set compression lz4;
exception when feature_not_supported then
  raise notice 'this server has no lz4: raw.event_chunks is compressed by pglz';
end
$$;

create view raw.events as
select c.block_height, c.tx_index, c.first_event_index + e.place::integer - 1 as event_index, s.type,
  case when e.payload is not null then (
    select coalesce(jsonb_object_agg(field.name, field.value), '{}')
    from rows from (unnest(s.fields), json_array_elements(e.payload)) as field (name, value)
  ) end as payload
from raw.event_chunks c
cross join lateral unnest(c.shapes, c.payloads) with ordinality as e (shape, payload, place)
join raw.event_shapes s on s.id = e.shape;

comment on view raw.events is 'Events in execution order. raw.events_with_id adds the transaction id. Restrict block_height, because types are not indexed. app.event_type_pieces and app.block_event_types locate events of a type.';
comment on column raw.events.event_index is 'Index of the event in the transaction.';
comment on column raw.events.type is 'Event type, e.g. A.1654653399040a61.FlowToken.TokensDeposited or flow.AccountCreated.';
comment on column raw.events.payload is 'Field values by name: numbers as decimal strings, addresses as 0x and 16 hex digits, byte arrays as 0x hex. Null if undecodable; the bytes are then in raw.indexing_errors.';

create view raw.events_with_id as
select e.block_height, b.timestamp, e.tx_index, t.id as transaction_id, e.event_index, e.type, e.payload
from raw.events e
join raw.transactions t using (block_height, tx_index)
join raw.blocks b on b.height = e.block_height;

comment on view raw.events_with_id is 'Events with their transaction id and block timestamp.';
comment on column raw.events_with_id.transaction_id is 'Transaction id, 32 bytes.';

create table raw.tx_lookup (
  id bytea not null,
  block_height bigint not null,
  tx_index integer not null,
  evm_hash bytea
);

-- Not unique: a transaction can be in two collections and run twice. A hash index takes 40 % less space than a
-- B-tree and ids are looked up by equality only.
create index tx_lookup_id on raw.tx_lookup using hash (id);
create index tx_lookup_evm_hash on raw.tx_lookup using hash (evm_hash) where evm_hash is not null;

comment on table raw.tx_lookup is 'Transaction locations by id, without the two system transactions that end every block with the same id.';
comment on column raw.tx_lookup.id is 'Transaction id, 32 bytes.';
comment on column raw.tx_lookup.evm_hash is 'Hash of the first EVM transaction that it executed, 32 bytes, or null. See app.evm_tx_hashes for all of them.';

create table raw.block_lookup (
  id bytea primary key,
  height bigint not null
);

comment on table raw.block_lookup is 'Block heights by id.';
comment on column raw.block_lookup.id is 'Block id, 32 bytes.';

create table raw.scripts (
  script_hash bytea primary key,
  script_text text not null,
  script_bytes bytea
);

comment on table raw.scripts is 'Transaction scripts.';
comment on column raw.scripts.script_hash is 'SHA-256 of the script, 32 bytes.';
comment on column raw.scripts.script_bytes is 'Exact bytes, only if the text differs from them: U+0000 or invalid UTF-8.';

create table raw.unavailable (
  block_height bigint not null,
  part text not null,
  tx_index integer not null default -1,
  reason text not null,
  endpoint text not null,
  recorded_at timestamptz not null default now(),
  primary key (block_height, part, tx_index)
);

comment on table raw.unavailable is 'Blocks and parts of blocks that no access node serves.';
comment on column raw.unavailable.part is 'block (the whole height; it has no row in raw.blocks), transactions, results, or result (of one transaction).';
comment on column raw.unavailable.tx_index is 'Position of the transaction for part result, else -1.';
comment on column raw.unavailable.reason is 'Error message of the access node.';
comment on column raw.unavailable.endpoint is 'Last access node queried.';

create index unavailable_blocks on raw.unavailable (block_height) where part = 'block';

create table raw.indexing_errors (
  id bigint generated always as identity primary key,
  worker_name text not null,
  block_height bigint not null,
  tx_index integer not null default -1,
  event_index integer not null default -1,
  code text not null,
  message text not null,
  event_type text,
  raw_data bytea,
  occurrences integer not null default 1,
  resolved_at timestamptz,
  first_seen_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  unique (worker_name, block_height, tx_index, event_index, code)
);

create index indexing_errors_open on raw.indexing_errors (last_seen_at desc) where resolved_at is null;

comment on table raw.indexing_errors is 'Undecodable or underivable input, with its bytes. The rest of the block was processed.';
comment on column raw.indexing_errors.worker_name is 'Ingester or worker that reported it.';
comment on column raw.indexing_errors.tx_index is 'Position of the transaction; -1 for the block.';
comment on column raw.indexing_errors.event_index is 'Index of the event in the transaction; -1 for the transaction or block.';
comment on column raw.indexing_errors.code is 'Stable error code.';
comment on column raw.indexing_errors.raw_data is 'Input as received.';
comment on column raw.indexing_errors.occurrences is 'Number of times it was reported.';
comment on column raw.indexing_errors.resolved_at is 'Time when reprocessing succeeded; cleared if the error recurs.';

create table raw.failing_heights (
  height bigint primary key,
  ingester text not null,
  reason text not null,
  attempts integer not null default 1,
  failing_since timestamptz not null default now(),
  last_failed_at timestamptz not null default now(),
  skip_requested_at timestamptz,
  cause text not null default 'nodes-failed',
  given_up_at timestamptz
);

comment on table raw.failing_heights is 'Settled heights that no access node serves or that cannot be stored. An ingester waits for each until UNAVAILABLE_AFTER_S has passed or an operator skips it, and then records it in raw.unavailable.';
comment on column raw.failing_heights.ingester is 'main_ingester or history_ingester.';
comment on column raw.failing_heights.reason is 'Last error message.';
comment on column raw.failing_heights.attempts is 'Recorded failures since failing_since.';
comment on column raw.failing_heights.failing_since is 'First failure, or that of the previous height if it was given up for the same cause.';
comment on column raw.failing_heights.skip_requested_at is 'Time when an operator requested to skip the height, or null.';
comment on column raw.failing_heights.cause is 'Last error code: nodes-failed, rows-refused (PostgreSQL rejects its rows), wrong-parent, unreadable.';
comment on column raw.failing_heights.given_up_at is 'Time when ingestion gave the height up; null while it waits.';

create index failing_heights_waiting on raw.failing_heights (failing_since, height) where given_up_at is null;
