-- Raw chain data. Written only by ingest, one transaction per batch of blocks; never changed but by a rollback.
-- Heights own everything: keys start with the height, so that a range is written, read and rolled back as one piece.
-- Keys come in runs of rising heights and are not updated, so that their pages can be full from the beginning.

create schema raw;

comment on schema raw is 'Chain data as the access nodes gave it; written by the ingesters only.';
comment on schema app is 'Tables derived from schema raw, and the state of the program itself.';

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

create table raw.events (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  type text not null,
  payload jsonb,
  primary key (block_height, tx_index, event_index) with (fillfactor = 100)
) partition by range (block_height);

comment on table raw.events is 'Events in the order of execution. The transaction id is in raw.transactions; raw.events_with_id shows both.';
comment on column raw.events.block_height is 'Height of the block.';
comment on column raw.events.tx_index is 'Position of the transaction in the block.';
comment on column raw.events.event_index is 'Position of the event in the transaction.';
comment on column raw.events.type is 'Full event type, e.g. A.1654653399040a61.FlowToken.TokensDeposited or flow.AccountCreated.';
comment on column raw.events.payload is 'Fields by name: numbers as decimal strings, addresses 0x and 16 hex digits, byte arrays as 0x hex. Null when the bytes could not be decoded: then they are in raw.indexing_errors.';

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

comment on table raw.unavailable is 'What no access node can serve of a stored block: the hole is known, with its reason.';
comment on column raw.unavailable.block_height is 'Height of the block.';
comment on column raw.unavailable.part is 'transactions, results, or result (of one transaction).';
comment on column raw.unavailable.tx_index is 'Position of the transaction for part result, else -1.';
comment on column raw.unavailable.reason is 'The words of the access node.';
comment on column raw.unavailable.endpoint is 'The access node that was asked last.';
comment on column raw.unavailable.recorded_at is 'When the hole was recorded.';

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

create table app.indexing_checkpoints (
  service_name text primary key,
  last_height bigint,
  covered int8multirange not null default '{}',
  block_count bigint not null default 0,
  tx_count bigint not null default 0,
  event_count bigint not null default 0,
  generation bigint not null default 0,
  updated_at timestamptz not null default now()
);

comment on table app.indexing_checkpoints is 'How far each ingester and worker is. Coverage is a set of ranges; last_height is computed from it for people.';
comment on column app.indexing_checkpoints.service_name is 'main_ingester (forward), history_ingester (backward), or the name of a worker.';
comment on column app.indexing_checkpoints.last_height is 'Forward: highest height of the first unbroken range; backward: lowest height reached.';
comment on column app.indexing_checkpoints.covered is 'Heights that are done, half-open ranges.';
comment on column app.indexing_checkpoints.block_count is 'Blocks that this ingester stored and that are still there.';
comment on column app.indexing_checkpoints.tx_count is 'Transactions in those blocks.';
comment on column app.indexing_checkpoints.event_count is 'Events in those blocks.';
comment on column app.indexing_checkpoints.generation is 'Goes up with every rollback; a commit names the one that it began under, so that blocks of a fork that is gone are refused.';
comment on column app.indexing_checkpoints.updated_at is 'Last change.';

create table app.chain (
  only_row boolean primary key default true check (only_row),
  chain_id text not null,
  latest_height bigint,
  latest_at timestamptz
);

comment on table app.chain is 'The chain that this database holds, one row.';
comment on column app.chain.only_row is 'Always true: there is one row.';
comment on column app.chain.chain_id is 'flow-mainnet, flow-testnet or flow-emulator; nodes of another chain are refused.';
comment on column app.chain.latest_height is 'Latest sealed height that an access node reported.';
comment on column app.chain.latest_at is 'When it was reported.';

create view raw.events_with_id as
select e.block_height, b.timestamp, e.tx_index, t.id as transaction_id, e.event_index, e.type, e.payload
from raw.events e
join raw.transactions t using (block_height, tx_index)
join raw.blocks b on b.height = e.block_height;

comment on view raw.events_with_id is 'Events with the id of their transaction and the time of their block, for people who write SQL.';
