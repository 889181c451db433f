-- Raw chain data. Written only by ingest, one transaction per batch of blocks; never changed but by a rollback.
-- Heights own everything: keys start with the height, so that a range is written, read and rolled back as one piece.
-- Keys come in runs of rising heights and are not updated, so that their pages can be full from the beginning.

create schema raw;

comment on schema raw is 'Chain data as the access nodes gave it; written by the ingesters only.';

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
comment on column raw.blocks.height is 'Block height.';
comment on column raw.blocks.id is 'Block id, 32 bytes.';
comment on column raw.blocks.parent_id is 'Id of the block one height below, 32 bytes.';
comment on column raw.blocks.timestamp is 'Time that the proposer gave the block, UTC.';
comment on column raw.blocks.collection_count is 'Guaranteed collections in the block.';
comment on column raw.blocks.tx_count is 'Transactions in the block, system transactions included.';
comment on column raw.blocks.event_count is 'Events of all transactions of the block.';
comment on column raw.blocks.collection_ids is 'Ids of the guaranteed collections, in order, 32 bytes each.';

-- Columns of a fixed width first, the widest first: else 15 bytes a row are lost to padding.
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

comment on table raw.transactions is 'Transactions with their results. System transactions have no payer and repeat their id from block to block.';
comment on column raw.transactions.block_height is 'Height of the block.';
comment on column raw.transactions.tx_index is 'Position in the block, from 0; user transactions first, then system transactions.';
comment on column raw.transactions.id is 'Transaction id, 32 bytes: SHA3-256 of the encoded body.';
comment on column raw.transactions.collection_index is 'Position of its collection in the block; null for system transactions.';
comment on column raw.transactions.status is 'Status that the access node gave: SEALED in all but broken answers, UNKNOWN where the result is unavailable.';
comment on column raw.transactions.status_code is '0 succeeded, 1 failed; null where the result is unavailable (see raw.unavailable).';
comment on column raw.transactions.is_evm is 'True when the script contains the text "import EVM".';
comment on column raw.transactions.payer_address is 'Account that pays, 0x and 16 hex digits; null for system transactions.';
comment on column raw.transactions.proposer_address is 'Account whose key orders the transaction; null for system transactions.';
comment on column raw.transactions.proposer_key_index is 'Index of the proposal key.';
comment on column raw.transactions.proposer_sequence_number is 'Sequence number of the proposal key.';
comment on column raw.transactions.authorizers is 'Accounts that authorize, in order.';
comment on column raw.transactions.reference_block_id is 'Block that bounds the life of the transaction, 32 bytes; null for system transactions.';
comment on column raw.transactions.script_hash is 'SHA-256 of the script; the text is in raw.scripts.';
comment on column raw.transactions.arguments is 'Arguments as JSON-CDC values, in order; null when there are none. An argument that is no JSON is {"undecoded": "0x…"}.';
comment on column raw.transactions.gas_limit is 'Computation limit that the transaction asked for.';
comment on column raw.transactions.gas_used is 'Computation used, as the node says; 0 where the node does not know, null where the result is unavailable.';
comment on column raw.transactions.event_count is 'Events of the transaction.';
comment on column raw.transactions.error_message is 'Error text of a failed transaction; U+0000 is written as \u0000.';
comment on column raw.transactions.signatures is 'Payload and envelope signatures as in the wire form of flow.entities.Transaction (fields 8 and 9); null when there are none.';

-- Transactions whose result no access node can serve: few, and far from each other.
create index transactions_unknown on raw.transactions (block_height, tx_index) where status_code is null;

-- Chunks of a transaction: types and field names, the same in millions of events, are in raw.event_shapes once. A row and
-- index entry for each event took 265 bytes. The view raw.events has a row for each.
create table raw.event_shapes (
  id integer generated always as identity primary key,
  hash bytea not null unique check (octet_length(hash) = 32),
  type text not null,
  fields text[] not null
);

-- Of a type only the whole is looked up, and there is no limit to its length.
create index event_shapes_type on raw.event_shapes using hash (type);

comment on table raw.event_shapes is 'Types of events with the names of their fields. A type has another shape after its contract was updated. Never changed, nor taken away.';
comment on column raw.event_shapes.id is 'Number of the shape, as in raw.event_chunks.';
comment on column raw.event_shapes.hash is 'SHA-256 of the type and the names of the fields, 32 bytes.';
comment on column raw.event_shapes.type is 'Full event type, e.g. A.1654653399040a61.FlowToken.TokensDeposited or flow.AccountCreated.';
comment on column raw.event_shapes.fields is 'Names of the fields, in the order of the values. None where the events could not be decoded.';

create table raw.event_chunks (
  block_height bigint not null,
  tx_index integer not null,
  first_event_index integer not null,
  shapes integer[] not null,
  payloads json[] not null,
  primary key (block_height, tx_index, first_event_index) with (fillfactor = 100)
) partition by range (block_height);

comment on table raw.event_chunks is 'Events in the order of execution, up to 64 of a transaction in a row. The view raw.events shows each as a row.';
comment on column raw.event_chunks.block_height is 'Height of the block.';
comment on column raw.event_chunks.tx_index is 'Position of the transaction in the block.';
comment on column raw.event_chunks.first_event_index is 'Position of the first event of the row in the transaction: a multiple of 64.';
comment on column raw.event_chunks.shapes is 'The shape of each event, its number in raw.event_shapes.';
comment on column raw.event_chunks.payloads is 'The values of the fields of each event, a JSON array: numbers as decimal strings, addresses 0x and 16 hex digits, byte arrays as 0x hex. Null when the bytes could not be decoded: then they are in raw.indexing_errors.';

-- Rows over 2 KB are compressed. lz4 takes a fifth of the time of the other method, but not every server is built with it.
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

comment on view raw.events is 'Events in the order of execution. The transaction id is in raw.transactions; raw.events_with_id shows both. Bound block_height: there is no index by type; app.event_type_pieces and app.block_event_types say where events of a type are.';
comment on column raw.events.block_height is 'Height of the block.';
comment on column raw.events.tx_index is 'Position of the transaction in the block.';
comment on column raw.events.event_index is 'Position of the event in the transaction.';
comment on column raw.events.type is 'Full event type, e.g. A.1654653399040a61.FlowToken.TokensDeposited or flow.AccountCreated.';
comment on column raw.events.payload is 'Fields by name: numbers as decimal strings, addresses 0x and 16 hex digits, byte arrays as 0x hex. Null when the bytes could not be decoded: then they are in raw.indexing_errors.';

create view raw.events_with_id as
select e.block_height, b.timestamp, e.tx_index, t.id as transaction_id, e.event_index, e.type, e.payload
from raw.events e
join raw.transactions t using (block_height, tx_index)
join raw.blocks b on b.height = e.block_height;

comment on view raw.events_with_id is 'Events with the id of their transaction and the time of their block, for people who write SQL.';
comment on column raw.events_with_id.block_height is 'Height of the block.';
comment on column raw.events_with_id.transaction_id is 'Transaction id, 32 bytes: SHA3-256 of the encoded body.';

create table raw.tx_lookup (
  id bytea not null,
  block_height bigint not null,
  tx_index integer not null,
  evm_hash bytea
);

-- Not unique: a transaction can be in two collections, and then its second run is in the chain as well. Of an id only
-- the whole is looked up: a hash index takes 40 % less room than a B-tree, so more of it stays in memory.
create index tx_lookup_id on raw.tx_lookup using hash (id);
create index tx_lookup_evm_hash on raw.tx_lookup using hash (evm_hash) where evm_hash is not null;

comment on table raw.tx_lookup is 'Where a transaction is, by id. Left out are the two system transactions that end every block with the same id.';
comment on column raw.tx_lookup.id is 'Transaction id, 32 bytes.';
comment on column raw.tx_lookup.block_height is 'Height of its block.';
comment on column raw.tx_lookup.tx_index is 'Position in the block.';
comment on column raw.tx_lookup.evm_hash is 'Hash of the first EVM transaction that it executed, 32 bytes; null when there is none. All of them: app.evm_tx_hashes.';

create table raw.block_lookup (
  id bytea primary key,
  height bigint not null
);

comment on table raw.block_lookup is 'Height of a block, by id.';
comment on column raw.block_lookup.id is 'Block id, 32 bytes.';
comment on column raw.block_lookup.height is 'Block height.';

create table raw.scripts (
  script_hash bytea primary key,
  script_text text not null,
  script_bytes bytea
);

comment on table raw.scripts is 'Transaction scripts, each once.';
comment on column raw.scripts.script_hash is 'SHA-256 of the script, 32 bytes.';
comment on column raw.scripts.script_text is 'Cadence source.';
comment on column raw.scripts.script_bytes is 'The exact bytes, only where the text is not exact: U+0000 or no valid UTF-8.';

create table raw.unavailable (
  block_height bigint not null,
  part text not null,
  tx_index integer not null default -1,
  reason text not null,
  endpoint text not null,
  recorded_at timestamptz not null default now(),
  primary key (block_height, part, tx_index)
);

comment on table raw.unavailable is 'Blocks and parts of blocks that no access node can serve: the hole is recorded, with its reason.';
comment on column raw.unavailable.block_height is 'Height of the block.';
comment on column raw.unavailable.part is 'block (the whole height; it is not in raw.blocks), transactions, results, or result (of one transaction).';
comment on column raw.unavailable.tx_index is 'Position of the transaction for part result, else -1.';
comment on column raw.unavailable.reason is 'The words of the access node.';
comment on column raw.unavailable.endpoint is 'The access node that was asked last.';
comment on column raw.unavailable.recorded_at is 'When the hole was recorded.';

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

comment on table raw.indexing_errors is 'Inputs that could not be decoded or derived, each once, with the bytes; the rest of their block went on.';
comment on column raw.indexing_errors.worker_name is 'Ingester or worker that met it.';
comment on column raw.indexing_errors.block_height is 'Height of the block.';
comment on column raw.indexing_errors.tx_index is 'Position of the transaction, -1 when it concerns the block.';
comment on column raw.indexing_errors.event_index is 'Position of the event in the transaction, -1 when it concerns the transaction or block.';
comment on column raw.indexing_errors.code is 'Stable code of the error.';
comment on column raw.indexing_errors.message is 'What went wrong, for people.';
comment on column raw.indexing_errors.event_type is 'Type of the event, where one is concerned.';
comment on column raw.indexing_errors.raw_data is 'The input as received.';
comment on column raw.indexing_errors.occurrences is 'How often it was met.';
comment on column raw.indexing_errors.resolved_at is 'When it was met no more; cleared when it comes back.';
comment on column raw.indexing_errors.first_seen_at is 'When it was met first.';
comment on column raw.indexing_errors.last_seen_at is 'When it was met last.';

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

comment on table raw.failing_heights is 'Settled heights that no access node has served, or that could not be stored, for a while. An ingester waits for each; it is recorded in raw.unavailable after UNAVAILABLE_AFTER_S, or when an operator skips it.';
comment on column raw.failing_heights.height is 'Height of the block.';
comment on column raw.failing_heights.ingester is 'Ingester that waits for it: main_ingester or history_ingester.';
comment on column raw.failing_heights.reason is 'Message of the last failure.';
comment on column raw.failing_heights.attempts is 'Failures since failing_since that were recorded.';
comment on column raw.failing_heights.failing_since is 'First failure that was recorded, of this height or of the neighbour that was given up before it for the same cause.';
comment on column raw.failing_heights.last_failed_at is 'Last failure.';
comment on column raw.failing_heights.skip_requested_at is 'When an operator asked to skip the height; null where none did.';
comment on column raw.failing_heights.cause is 'Code of the last failure: nodes-failed, rows-refused (PostgreSQL does not take its rows), wrong-parent, unreadable.';
comment on column raw.failing_heights.given_up_at is 'When ingestion gave the height up; null while it waits for it.';

create index failing_heights_waiting on raw.failing_heights (failing_since, height) where given_up_at is null;
