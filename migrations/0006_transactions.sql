-- Imports and tags are looked up by contract and by tag, so those come first in the keys. One row per block,
-- because most of its transactions import the same few contracts.

create table app.tx_contracts (
  contract text not null,
  block_height bigint not null,
  tx_indexes integer[] not null,
  primary key (contract, block_height)
) partition by range (block_height);

create index tx_contracts_height on app.tx_contracts (block_height);

comment on table app.tx_contracts is 'Contracts imported by transaction scripts, by block, without system transactions.';
comment on column app.tx_contracts.contract is 'A.<address>.<name>';
comment on column app.tx_contracts.tx_indexes is 'Positions of the transactions in the block, ascending.';

create table app.tx_tags (
  tag text not null,
  block_height bigint not null,
  tx_indexes integer[] not null,
  primary key (tag, block_height)
) partition by range (block_height);

create index tx_tags_height on app.tx_tags (block_height);

comment on table app.tx_tags is 'Transaction tags from scripts and events, by block.';
comment on column app.tx_tags.tag is 'FT_TRANSFER, NFT_TRANSFER, EVM and others.';
comment on column app.tx_tags.tx_indexes is 'Positions of the transactions in the block, ascending.';

create table app.tx_metrics (
  block_height bigint not null,
  gas_used bigint,
  tx_index integer not null,
  is_gas_from_fee boolean not null,
  fee numeric,
  inclusion_effort numeric,
  execution_effort numeric,
  primary key (block_height, tx_index)
) partition by range (block_height);

comment on table app.tx_metrics is 'Cost of transactions: all user transactions, including failed ones, and system transactions that paid a fee. Event count and status are in raw.transactions.';
comment on column app.tx_metrics.gas_used is 'Computation used, from the result or, where that is 0, from the fee. Null if the result is unavailable.';
comment on column app.tx_metrics.is_gas_from_fee is 'True if gas_used is execution_effort in units of 10^-8, because the result has 0.';
comment on column app.tx_metrics.fee is 'Fee in FLOW: sum of FlowFees.FeesDeducted; before March 2022 the fee transfer. Null if the result is unavailable or the event undecodable.';
comment on column app.tx_metrics.inclusion_effort is 'Inclusion effort from FlowFees.FeesDeducted; null without the event.';
comment on column app.tx_metrics.execution_effort is 'Execution effort from FlowFees.FeesDeducted; times 10^8 it is computation.';

-- Few rows, found by id, so the fold reads few partitions.
create table app.scheduled_transaction_changes (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  scheduled_id bigint not null,
  kind text not null,
  priority smallint,
  due_at timestamptz,
  execution_effort bigint,
  fees numeric,
  fees_returned numeric,
  fees_deducted numeric,
  handler_owner text,
  handler_type text,
  handler_uuid bigint,
  handler_public_path text,
  primary key (block_height, tx_index, event_index)
) partition by range (block_height);

create index scheduled_transaction_changes_id on app.scheduled_transaction_changes (scheduled_id, block_height);

comment on table app.scheduled_transaction_changes is 'Changes of scheduled transactions, from events of FlowTransactionScheduler, and failed runs, which have no event.';
comment on column app.scheduled_transaction_changes.tx_index is 'Position of the transaction that scheduled, cancelled, found due or ran it.';
comment on column app.scheduled_transaction_changes.event_index is 'Index of the event in the transaction; -1 for a failed run.';
comment on column app.scheduled_transaction_changes.scheduled_id is 'Scheduler''s id.';
comment on column app.scheduled_transaction_changes.kind is 'scheduled, pending (due, and run in this block), executed, failed, canceled.';
comment on column app.scheduled_transaction_changes.priority is '0 high, 1 medium, 2 low; null if the change does not include it.';
comment on column app.scheduled_transaction_changes.due_at is 'Scheduled time, UTC; null if the change does not include it.';
comment on column app.scheduled_transaction_changes.execution_effort is 'Computation limit; null if the change does not include it.';
comment on column app.scheduled_transaction_changes.fees is 'Paid in advance, in FLOW; null if the change does not include it.';
comment on column app.scheduled_transaction_changes.fees_returned is 'Refunded on cancellation, in FLOW; else null.';
comment on column app.scheduled_transaction_changes.fees_deducted is 'Retained on cancellation, in FLOW; else null.';
comment on column app.scheduled_transaction_changes.handler_owner is 'Account that holds the handler, 0x and 16 hex digits; null if the change does not include it.';
comment on column app.scheduled_transaction_changes.handler_type is 'Cadence type of the handler; null if the change does not include it.';
comment on column app.scheduled_transaction_changes.handler_uuid is 'Uuid of the handler; null if the change does not include it and before October 2025.';
comment on column app.scheduled_transaction_changes.handler_public_path is 'Public path of the handler, as declared by it and unverified; null as handler_uuid.';

create table app.scheduled_transactions (
  scheduled_id bigint primary key,
  status text not null,
  priority smallint,
  due_at timestamptz,
  execution_effort bigint,
  fees numeric,
  fees_returned numeric,
  fees_deducted numeric,
  handler_owner text,
  handler_type text,
  handler_uuid bigint,
  handler_public_path text,
  scheduled_height bigint,
  scheduled_tx_index integer,
  ended_height bigint,
  ended_tx_index integer
);

create index scheduled_transactions_owner on app.scheduled_transactions (handler_owner, scheduled_id);
create index scheduled_transactions_handler on app.scheduled_transactions (handler_uuid, scheduled_id);
create index scheduled_transactions_status on app.scheduled_transactions (status, scheduled_id);
create index scheduled_transactions_owner_other on app.scheduled_transactions (handler_owner, status, scheduled_id)
  where status <> 'executed';
create index scheduled_transactions_handler_other on app.scheduled_transactions (handler_uuid, status, scheduled_id)
  where status <> 'executed';
create index scheduled_transactions_due on app.scheduled_transactions (due_at, scheduled_id);

comment on table app.scheduled_transactions is 'Scheduled transactions, current state.';
comment on column app.scheduled_transactions.scheduled_id is 'Scheduler''s id; ascending in the order of scheduling.';
comment on column app.scheduled_transactions.status is 'scheduled, pending (was due; no access node has the result), executed, failed, canceled.';
comment on column app.scheduled_transactions.priority is '0 high, 1 medium, 2 low; null if only a failed run is indexed.';
comment on column app.scheduled_transactions.due_at is 'Scheduled time, UTC; null if the scheduling block is not indexed.';
comment on column app.scheduled_transactions.execution_effort is 'Computation limit; null if not indexed.';
comment on column app.scheduled_transactions.fees is 'Paid in advance, in FLOW; null if not indexed.';
comment on column app.scheduled_transactions.fees_returned is 'Refunded on cancellation, in FLOW; else null.';
comment on column app.scheduled_transactions.fees_deducted is 'Retained on cancellation, in FLOW; else null.';
comment on column app.scheduled_transactions.handler_owner is 'Account that holds the handler, 0x and 16 hex digits.';
comment on column app.scheduled_transactions.handler_type is 'Cadence type of the handler; null if not indexed.';
comment on column app.scheduled_transactions.handler_uuid is 'Uuid of the handler; null if not indexed and before October 2025.';
comment on column app.scheduled_transactions.handler_public_path is 'Public path of the handler, as declared by it and unverified, or null.';
comment on column app.scheduled_transactions.scheduled_height is 'Height at which it was scheduled; null if not indexed.';
comment on column app.scheduled_transactions.scheduled_tx_index is 'Position of the scheduling transaction in that block.';
comment on column app.scheduled_transactions.ended_height is 'Height at which it ran or was cancelled; null before.';
comment on column app.scheduled_transactions.ended_tx_index is 'Position of that transaction in the block. raw.transactions has the error of a failed run.';

create table app.script_templates (
  normal_hash bytea primary key check (octet_length(normal_hash) = 32),
  category text not null,
  label text not null
);

comment on table app.script_templates is 'Script templates added by the operator with npm run farm -- template. They take precedence over the built-in ones.';
comment on column app.script_templates.normal_hash is 'SHA-256 of the normalized script, 32 bytes: equal for variants that differ in comments, white space and network.';
comment on column app.script_templates.category is 'template_category of matching transactions.';
comment on column app.script_templates.label is 'template_label of matching transactions.';

-- Serves lists of failed and unavailable transactions.
create index transactions_unsuccessful on raw.transactions (block_height, tx_index) where status_code is distinct from 0;

-- An index of raw.events by type would be larger than all other indexes of the raw tables together. Instead,
-- app.event_type_pieces gives the pieces of the chain with a type, this table its blocks, and events are read by
-- key.
create table app.block_event_types (
  block_height bigint not null,
  types text[] not null,
  event_counts integer[] not null,
  primary key (block_height)
) partition by range (block_height);

comment on table app.block_event_types is 'Event types of each block. Blocks without events have no row.';
comment on column app.block_event_types.types is 'Event types as in raw.events, distinct and sorted.';
comment on column app.block_event_types.event_counts is 'Number of events of each of types.';

create table app.event_types (
  type text collate "C" primary key,
  event_count bigint not null
) with (fillfactor = 50);

comment on table app.event_types is 'All indexed event types.';
comment on column app.event_types.type is 'Event type as in raw.events, in byte order, so that the types of a contract are adjacent.';

create table app.event_type_pieces (
  type text collate "C" not null,
  piece bigint not null,
  block_count bigint not null,
  primary key (type, piece)
) with (fillfactor = 90);

comment on table app.event_type_pieces is 'Pieces of 100 heights that have events of a type.';
comment on column app.event_type_pieces.piece is 'Height divided by 100, rounded down.';
comment on column app.event_type_pieces.block_count is 'Blocks of the piece with events of the type.';
