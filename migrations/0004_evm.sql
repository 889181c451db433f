-- EVM addresses and hashes are lower-case hex without 0x. Partitions hold five million heights: mainnet has about
-- one EVM transaction per height, and a lookup by hash searches every partition.

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

comment on table app.evm_tx_hashes is 'EVM transactions and the Flow transactions that executed them. One Flow transaction can execute many.';
comment on column app.evm_tx_hashes.event_index is 'Index of the EVM.TransactionExecuted event.';
comment on column app.evm_tx_hashes.tx_id is 'Flow transaction id, 64 hex digits.';
comment on column app.evm_tx_hashes.evm_hash is 'EVM transaction hash, 64 hex digits.';
comment on column app.evm_tx_hashes.evm_from is 'Sender recovered from the signature, 40 hex digits; the caller for unsigned calls. Null if the payload is unreadable or untrusted.';
comment on column app.evm_tx_hashes.evm_to is 'Receiver, 40 hex digits; null for contract creation and as evm_from.';
comment on column app.evm_tx_hashes.evm_value is 'Value in attoflow (10^-18 FLOW), also of failed transactions. Null as evm_from.';
comment on column app.evm_tx_hashes.evm_gas_used is 'Gas used.';
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

comment on table app.evm_transactions is 'Further fields of EVM transactions, one row for each of app.evm_tx_hashes. Input and logs are in the event payload in raw.events.';
comment on column app.evm_transactions.event_index is 'Index of the EVM.TransactionExecuted event.';
comment on column app.evm_transactions.evm_block_height is 'EVM block height.';
comment on column app.evm_transactions.evm_tx_index is 'Position in the EVM block.';
comment on column app.evm_transactions.error_code is '0 none, 201 to 300 invalid, 301 to 400 failed during execution.';
comment on column app.evm_transactions.tx_type is '0 legacy, 1 access list, 2 fee caps, 4 delegations, 255 unsigned call; others as in the event.';
comment on column app.evm_transactions.call_type is 'For type 255: deposit (FLOW into the EVM), withdraw, transfer, deploy, call; else null.';
comment on column app.evm_transactions.nonce is 'Nonce. Null, as all following columns, if the payload is unreadable or untrusted.';
comment on column app.evm_transactions.gas_limit is 'Gas limit.';
comment on column app.evm_transactions.gas_price is 'Gas price in attoflow for types 0 and 1; else null.';
comment on column app.evm_transactions.max_fee_per_gas is 'Maximum gas price in attoflow for types 2 and 4; else null.';
comment on column app.evm_transactions.max_priority_fee_per_gas is 'Maximum priority fee in attoflow for types 2 and 4; else null.';
comment on column app.evm_transactions.contract_address is 'Created contract, 40 hex digits, or null.';
comment on column app.evm_transactions.error_message is 'Error message of a failed transaction, or null.';

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

comment on table app.evm_token_transfers is 'Token transfers within the EVM, from logs: ERC-20, ERC-721, ERC-1155 and wrapped FLOW.';
comment on column app.evm_token_transfers.event_index is 'Event of the EVM transaction, as in app.evm_tx_hashes.';
comment on column app.evm_token_transfers.log_index is 'Index of the log in the EVM transaction.';
comment on column app.evm_token_transfers.batch_index is 'Number of the transfer within the log, from 0; above 0 only in ERC-1155 batches.';
comment on column app.evm_token_transfers.standard is 'ERC number of the log format: 20, 721, 1155.';
comment on column app.evm_token_transfers.token is 'Token contract, 40 hex digits.';
comment on column app.evm_token_transfers.from_address is 'Sender, 40 hex digits; null for a mint.';
comment on column app.evm_token_transfers.to_address is 'Receiver, 40 hex digits; null for a burn.';
comment on column app.evm_token_transfers.token_id is 'ERC-721 item or ERC-1155 token type; null for ERC-20.';
comment on column app.evm_token_transfers.amount is 'Amount in the token''s smallest unit; 1 for ERC-721.';

create table app.evm_token_holdings (
  address text not null,
  token text not null,
  standard smallint not null,
  balance numeric not null,
  primary key (address, token, standard)
);

create index evm_token_holdings_holders on app.evm_token_holdings (token, standard, balance, address) where balance > 0;

comment on table app.evm_token_holdings is 'Token balances of EVM addresses: received minus sent, without zero rows. A negative balance means that transfers are missing (not indexed, or made without logs), and then other balances of the token may be wrong too.';
comment on column app.evm_token_holdings.address is '40 hex digits.';
comment on column app.evm_token_holdings.token is 'Token contract, 40 hex digits.';
comment on column app.evm_token_holdings.standard is 'As in app.evm_token_transfers. A contract can use several.';
comment on column app.evm_token_holdings.balance is 'Balance in the token''s smallest unit; ERC-721: number of items; ERC-1155: units of all token types.';

create table app.evm_token_items (
  token text not null,
  standard smallint not null,
  token_id numeric not null,
  address text not null,
  balance numeric not null,
  primary key (token, standard, token_id, address)
);

create index evm_token_items_address on app.evm_token_items (address, token, standard, token_id);

comment on table app.evm_token_items is 'Balances of EVM addresses by ERC-721 item and ERC-1155 token type, without zero rows. Negative as in app.evm_token_holdings.';
comment on column app.evm_token_items.token is 'Token contract, 40 hex digits.';
comment on column app.evm_token_items.standard is '721 or 1155.';
comment on column app.evm_token_items.token_id is 'As in app.evm_token_transfers.';
comment on column app.evm_token_items.address is '40 hex digits.';
comment on column app.evm_token_items.balance is '1 for the owner of an ERC-721 item; units for ERC-1155.';

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

comment on table app.evm_tokens is 'EVM token contracts with a transfer.';
comment on column app.evm_tokens.token is 'Contract, 40 hex digits.';
comment on column app.evm_tokens.standard is 'As in app.evm_token_transfers. A contract that uses several has a row for each.';
comment on column app.evm_tokens.first_height is 'Height of the first transfer.';
comment on column app.evm_tokens.transfer_count is 'Transfers, mints and burns; each transfer of a batch counts.';
comment on column app.evm_tokens.holder_count is 'Addresses with a balance above 0.';
comment on column app.evm_tokens.short_count is 'Addresses with a balance below 0. Above 0 transfers are missing (see app.evm_token_holdings) and holder_count is approximate.';
