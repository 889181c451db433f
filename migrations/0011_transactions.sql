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
