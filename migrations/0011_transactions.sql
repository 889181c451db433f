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
