-- Fees and gas of transactions, scripts, scheduled transactions.
-- What scripts import and what transactions did is found by contract and by tag, so those come first in the keys; which
-- tags one transaction has is computed from its events, in the same way wherever it is shown. A block's transactions are
-- in one row, since most of them import the same few contracts.

create table app.tx_contracts (
  contract text not null,
  block_height bigint not null,
  tx_indexes integer[] not null,
  primary key (contract, block_height)
) partition by range (block_height);

create index tx_contracts_height on app.tx_contracts (block_height);

comment on table app.tx_contracts is 'Contracts that the scripts of transactions import, by block. Without system transactions, whose scripts are the same in every block.';
comment on column app.tx_contracts.contract is 'A.<address>.<name>';
comment on column app.tx_contracts.block_height is 'Height of the block.';
comment on column app.tx_contracts.tx_indexes is 'Positions of the transactions in the block, ascending.';

create table app.tx_tags (
  tag text not null,
  block_height bigint not null,
  tx_indexes integer[] not null,
  primary key (tag, block_height)
) partition by range (block_height);

create index tx_tags_height on app.tx_tags (block_height);

comment on table app.tx_tags is 'What transactions did, in words of a fixed list, as their script and events tell, by block.';
comment on column app.tx_tags.tag is 'FT_TRANSFER, NFT_TRANSFER, EVM and so on.';
comment on column app.tx_tags.block_height is 'Height of the block.';
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

comment on table app.tx_metrics is 'What transactions cost: one row for each of a user, failed ones and those without an event included, and for those system transactions that paid a fee. How many events it has and whether it failed is in raw.transactions, by the same key.';
comment on column app.tx_metrics.block_height is 'Height of the block.';
comment on column app.tx_metrics.gas_used is 'Computation used, as the result tells; where that is 0, as the fee tells. Null where the result is unavailable.';
comment on column app.tx_metrics.tx_index is 'Position of the transaction in the block.';
comment on column app.tx_metrics.is_gas_from_fee is 'True: the result left gas_used 0, and it is execution_effort in units of 10^-8.';
comment on column app.tx_metrics.fee is 'What was deducted, in FLOW: the sum of FlowFees.FeesDeducted; before that event (March 2022) the transfer that paid it. Null where the result is unavailable or the event could not be read.';
comment on column app.tx_metrics.inclusion_effort is 'Weight of its inclusion that the fee was computed from, as FlowFees.FeesDeducted tells; null where it does not.';
comment on column app.tx_metrics.execution_effort is 'Weight of its execution, like inclusion_effort; 10^8 times this is computation.';

-- Few, compared with all else, and found by their number: so the fold looks into few partitions.
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

comment on table app.scheduled_transaction_changes is 'What happened to scheduled transactions, as the events of FlowTransactionScheduler tell, and failed runs, of which none tells.';
comment on column app.scheduled_transaction_changes.block_height is 'Height of the block.';
comment on column app.scheduled_transaction_changes.tx_index is 'Position in the block: of the transaction that scheduled or cancelled it, that found it due, or in which it ran.';
comment on column app.scheduled_transaction_changes.event_index is 'Position of the event in the transaction; -1 where a run failed.';
comment on column app.scheduled_transaction_changes.scheduled_id is 'The scheduler''s number of it.';
comment on column app.scheduled_transaction_changes.kind is 'scheduled, pending (due, and run in this block), executed, failed, canceled.';
comment on column app.scheduled_transaction_changes.priority is '0 high, 1 medium, 2 low; null where the change does not tell.';
comment on column app.scheduled_transaction_changes.due_at is 'When it is to run, UTC; null where the change does not tell.';
comment on column app.scheduled_transaction_changes.execution_effort is 'Computation that it may use; null where the change does not tell.';
comment on column app.scheduled_transaction_changes.fees is 'Paid in advance, in FLOW; null where the change does not tell.';
comment on column app.scheduled_transaction_changes.fees_returned is 'Given back when it was cancelled, in FLOW; else null.';
comment on column app.scheduled_transaction_changes.fees_deducted is 'Kept when it was cancelled, in FLOW; else null.';
comment on column app.scheduled_transaction_changes.handler_owner is 'Account that holds the handler, 0x and 16 hex digits; null where the change does not tell.';
comment on column app.scheduled_transaction_changes.handler_type is 'Cadence type of the handler; null where the change does not tell.';
comment on column app.scheduled_transaction_changes.handler_uuid is 'Uuid of the handler; null where the change does not tell, and before October 2025.';
comment on column app.scheduled_transaction_changes.handler_public_path is 'Where the handler says that it can be looked at; null where it does not say, and like handler_uuid.';

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

comment on table app.scheduled_transactions is 'Scheduled transactions as they stand.';
comment on column app.scheduled_transactions.scheduled_id is 'The scheduler''s number; they rise in the order of scheduling.';
comment on column app.scheduled_transactions.status is 'scheduled, pending (was due; how it went is unknown, since no access node has the result), executed, failed, canceled.';
comment on column app.scheduled_transactions.priority is '0 high, 1 medium, 2 low; null where only a failed run is indexed.';
comment on column app.scheduled_transactions.due_at is 'When it is to run, UTC; null while the block that scheduled it is not indexed.';
comment on column app.scheduled_transactions.execution_effort is 'Computation that it may use; null where no indexed change tells.';
comment on column app.scheduled_transactions.fees is 'Paid in advance, in FLOW; null where no indexed change tells.';
comment on column app.scheduled_transactions.fees_returned is 'Given back when it was cancelled, in FLOW; else null.';
comment on column app.scheduled_transactions.fees_deducted is 'Kept when it was cancelled, in FLOW; else null.';
comment on column app.scheduled_transactions.handler_owner is 'Account that holds the handler, 0x and 16 hex digits.';
comment on column app.scheduled_transactions.handler_type is 'Cadence type of the handler; null where no indexed change tells.';
comment on column app.scheduled_transactions.handler_uuid is 'Uuid of the handler; null where no indexed change tells, and before October 2025.';
comment on column app.scheduled_transactions.handler_public_path is 'Where the handler says that it can be looked at, which nobody checks; null where it does not say.';
comment on column app.scheduled_transactions.scheduled_height is 'Block that scheduled it; null while that is not indexed.';
comment on column app.scheduled_transactions.scheduled_tx_index is 'Transaction that scheduled it, by its position in that block.';
comment on column app.scheduled_transactions.ended_height is 'Block in which it ran or was cancelled; null before.';
comment on column app.scheduled_transactions.ended_tx_index is 'Transaction in which it ran or that cancelled it, by its position in that block; raw.transactions has its error where it failed.';

create table app.script_templates (
  normal_hash bytea primary key check (octet_length(normal_hash) = 32),
  category text not null,
  label text not null
);

comment on table app.script_templates is 'Templates of scripts that the operator adds to those that the program knows; they come before these. npm run farm -- template adds and removes them.';
comment on column app.script_templates.normal_hash is 'SHA-256 of the script''s normal form, 32 bytes: the same for variants that differ in comments, white space and the network.';
comment on column app.script_templates.category is 'What transactions show as template_category.';
comment on column app.script_templates.label is 'What transactions show as template_label.';

-- By it lists of what failed are read, and of what no access node can serve.
create index transactions_unsuccessful on raw.transactions (block_height, tx_index) where status_code is distinct from 0;

-- An index of raw.events by type would be larger than all other indexes of the raw tables together. Which pieces of the chain have events of
-- a type is known, of each block of such a piece which types it has, and its events are read by their key.
create table app.block_event_types (
  block_height bigint not null,
  types text[] not null,
  event_counts integer[] not null,
  primary key (block_height)
) partition by range (block_height);

comment on table app.block_event_types is 'Types of the events of each block. Blocks without events have no row.';
comment on column app.block_event_types.block_height is 'Height of the block.';
comment on column app.block_event_types.types is 'Full event types as in raw.events, each once, sorted.';
comment on column app.block_event_types.event_counts is 'Events of each type, in the order of types.';

create table app.event_types (
  type text collate "C" primary key,
  event_count bigint not null
) with (fillfactor = 50);

comment on table app.event_types is 'The types of all events that are indexed.';
comment on column app.event_types.type is 'Full event type, as in raw.events. Sorted by bytes, so that the types of a contract stand together.';
comment on column app.event_types.event_count is 'Events of this type.';

create table app.event_type_pieces (
  type text collate "C" not null,
  piece bigint not null,
  block_count bigint not null,
  primary key (type, piece)
) with (fillfactor = 90);

comment on table app.event_type_pieces is 'The pieces of the chain with events of a type, 100 heights each.';
comment on column app.event_type_pieces.type is 'As in app.event_types.';
comment on column app.event_type_pieces.piece is 'Height of a block divided by 100, rounded down.';
comment on column app.event_type_pieces.block_count is 'Blocks of the piece with events of the type.';
