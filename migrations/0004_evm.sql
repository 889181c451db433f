-- EVM transactions, the token transfers that their logs tell of, and what follows from those.
-- Here addresses and hashes of the EVM are lower-case hex digits without 0x throughout. Keys go by position, as in
-- 0003_derived.sql. Partitions hold five million heights: the main network makes about one EVM transaction a height, and a
-- hash is looked for in all partitions.

create table app.evm_tx_hashes (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  tx_id text not null,
  evm_hash text not null,
  evm_from text,
  evm_to text,
  evm_value numeric,
  evm_gas_used bigint not null,
  evm_status smallint not null,
  primary key (block_height, tx_index, event_index)
) partition by range (block_height);

create index evm_tx_hashes_hash on app.evm_tx_hashes using hash (evm_hash);
create index evm_tx_hashes_from on app.evm_tx_hashes (evm_from, block_height, tx_index, event_index)
  where evm_from is not null;
create index evm_tx_hashes_to on app.evm_tx_hashes (evm_to, block_height, tx_index, event_index)
  where evm_to is not null;

comment on table app.evm_tx_hashes is 'EVM transactions and the transactions of the chain that ran them, of which one may have run many.';
comment on column app.evm_tx_hashes.block_height is 'Height of the block.';
comment on column app.evm_tx_hashes.tx_index is 'Position of the transaction of the chain in the block.';
comment on column app.evm_tx_hashes.event_index is 'Its EVM.TransactionExecuted event.';
comment on column app.evm_tx_hashes.tx_id is 'Id of the transaction of the chain, 64 hex digits.';
comment on column app.evm_tx_hashes.evm_hash is 'Hash of the EVM transaction, 64 hex digits.';
comment on column app.evm_tx_hashes.evm_from is 'Sender, 40 hex digits, by the signature; of calls that no key signed the caller. Null where the payload could not be read or trusted.';
comment on column app.evm_tx_hashes.evm_to is 'Receiver, 40 hex digits; null where it creates a contract, and like evm_from.';
comment on column app.evm_tx_hashes.evm_value is 'FLOW that it sends, in attoflow (10^-18 FLOW), also if it failed. Null like evm_from.';
comment on column app.evm_tx_hashes.evm_gas_used is 'Gas that it used.';
comment on column app.evm_tx_hashes.evm_status is '1 succeeded, 0 failed.';

create table app.evm_transactions (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  evm_block_height bigint not null,
  evm_tx_index integer not null,
  error_code integer not null,
  tx_type smallint not null,
  call_type text,
  nonce numeric,
  gas_limit numeric,
  gas_price numeric,
  max_fee_per_gas numeric,
  max_priority_fee_per_gas numeric,
  contract_address text,
  error_message text,
  primary key (block_height, tx_index, event_index)
) partition by range (block_height);

create index evm_transactions_contract on app.evm_transactions (contract_address, block_height)
  where contract_address is not null;

comment on table app.evm_transactions is 'What else there is to EVM transactions: a row for each of app.evm_tx_hashes. Input and logs are in the payload of the event in raw.events.';
comment on column app.evm_transactions.block_height is 'Height of the block.';
comment on column app.evm_transactions.tx_index is 'Position of the transaction of the chain in the block.';
comment on column app.evm_transactions.event_index is 'Its EVM.TransactionExecuted event.';
comment on column app.evm_transactions.evm_block_height is 'Height of the block of the EVM.';
comment on column app.evm_transactions.evm_tx_index is 'Position in the block of the EVM.';
comment on column app.evm_transactions.error_code is '0 none; 201 to 300 it was not valid, 301 to 400 it was run and failed.';
comment on column app.evm_transactions.tx_type is '0 legacy, 1 with access list, 2 with fee caps, 4 with delegations, 255 a call that no key signed; others as the event says.';
comment on column app.evm_transactions.call_type is 'Of type 255: deposit (FLOW into the EVM), withdraw (out of it), transfer, deploy, call. Else null.';
comment on column app.evm_transactions.nonce is 'Transactions that the sender made before. Null, like what follows, where the payload could not be read or trusted.';
comment on column app.evm_transactions.gas_limit is 'Most gas that it might use.';
comment on column app.evm_transactions.gas_price is 'Price of gas in attoflow, of types 0 and 1; else null.';
comment on column app.evm_transactions.max_fee_per_gas is 'Highest price of gas in attoflow, of types 2 and 4; else null.';
comment on column app.evm_transactions.max_priority_fee_per_gas is 'Highest part of it for the coinbase, in attoflow, of types 2 and 4; else null.';
comment on column app.evm_transactions.contract_address is 'Contract that it created, 40 hex digits; null where it created none.';
comment on column app.evm_transactions.error_message is 'Why it failed; null where it did not, or nothing is told.';

create table app.evm_token_transfers (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  log_index integer not null,
  batch_index integer not null,
  standard smallint not null,
  token text not null,
  from_address text,
  to_address text,
  token_id numeric,
  amount numeric not null,
  primary key (block_height, tx_index, event_index, log_index, batch_index)
) partition by range (block_height);

create index evm_token_transfers_token on app.evm_token_transfers
  (token, standard, block_height, tx_index, event_index, log_index, batch_index);
create index evm_token_transfers_from on app.evm_token_transfers
  (from_address, block_height, tx_index, event_index, log_index, batch_index) where from_address is not null;
create index evm_token_transfers_to on app.evm_token_transfers
  (to_address, block_height, tx_index, event_index, log_index, batch_index) where to_address is not null;

comment on table app.evm_token_transfers is 'Movements of tokens within the EVM, from the logs of its transactions: ERC-20, ERC-721, ERC-1155, and the wrapping of FLOW.';
comment on column app.evm_token_transfers.block_height is 'Height of the block.';
comment on column app.evm_token_transfers.tx_index is 'Position of the transaction of the chain in the block.';
comment on column app.evm_token_transfers.event_index is 'Event of the EVM transaction, as in app.evm_tx_hashes.';
comment on column app.evm_token_transfers.log_index is 'Position of the log in the EVM transaction.';
comment on column app.evm_token_transfers.batch_index is 'Counts from 0 what one log moved; more than one only where an ERC-1155 token moved a batch.';
comment on column app.evm_token_transfers.standard is 'Number of the ERC by which the log is written: 20, 721, 1155.';
comment on column app.evm_token_transfers.token is 'Contract of the token, 40 hex digits.';
comment on column app.evm_token_transfers.from_address is 'Who gave, 40 hex digits; null: nobody, it was minted.';
comment on column app.evm_token_transfers.to_address is 'Who got; null: nobody, it was burned.';
comment on column app.evm_token_transfers.token_id is 'Item of ERC-721, kind of ERC-1155; null for ERC-20.';
comment on column app.evm_token_transfers.amount is 'In the smallest unit of the token; 1 for ERC-721.';

create table app.evm_token_holdings (
  address text not null,
  token text not null,
  standard smallint not null,
  balance numeric not null,
  primary key (address, token, standard)
);

create index evm_token_holdings_holders on app.evm_token_holdings (token, standard, balance, address) where balance > 0;

comment on table app.evm_token_holdings is 'What each address of the EVM has of tokens: what it got less what it gave. Without rows of 0. Below 0 where transfers are missing: those of before the indexed history, or of a contract that moves balances without logs; then what others have may be wrong as well.';
comment on column app.evm_token_holdings.address is '40 hex digits.';
comment on column app.evm_token_holdings.token is 'Contract of the token, 40 hex digits.';
comment on column app.evm_token_holdings.standard is 'As in app.evm_token_transfers. A contract may write its logs by several.';
comment on column app.evm_token_holdings.balance is 'In the smallest unit of the token; of ERC-721 the number of items, of ERC-1155 the units of all kinds.';

create table app.evm_token_items (
  token text not null,
  standard smallint not null,
  token_id numeric not null,
  address text not null,
  balance numeric not null,
  primary key (token, standard, token_id, address)
);

create index evm_token_items_address on app.evm_token_items (address, token, standard, token_id);

comment on table app.evm_token_items is 'What each address of the EVM has of each item of ERC-721 and each kind of ERC-1155. Without rows of 0; below 0 like app.evm_token_holdings.';
comment on column app.evm_token_items.token is 'Contract of the token, 40 hex digits.';
comment on column app.evm_token_items.standard is '721 or 1155.';
comment on column app.evm_token_items.token_id is 'As in app.evm_token_transfers.';
comment on column app.evm_token_items.address is '40 hex digits.';
comment on column app.evm_token_items.balance is '1 for the owner of an item, units of a kind.';

create table app.evm_tokens (
  token text not null,
  standard smallint not null,
  first_height bigint not null,
  transfer_count bigint not null,
  holder_count bigint not null,
  short_count bigint not null,
  primary key (token, standard)
);

create index evm_tokens_holders on app.evm_tokens (standard, holder_count, token);

comment on table app.evm_tokens is 'Contracts of the EVM that moved tokens.';
comment on column app.evm_tokens.token is 'The contract, 40 hex digits.';
comment on column app.evm_tokens.standard is 'As in app.evm_token_transfers; a contract that writes its logs by several has a row for each.';
comment on column app.evm_tokens.first_height is 'Block of its first transfer.';
comment on column app.evm_tokens.transfer_count is 'Transfers, mints and burns; those of a batch each.';
comment on column app.evm_tokens.holder_count is 'Addresses with a balance above 0.';
comment on column app.evm_tokens.short_count is 'Addresses with a balance below 0. If there are any, transfers are missing, see app.evm_token_holdings, and holder_count is not exact.';
