-- The tables of an EVM explorer's database (Blockscout) that the example questions are about, with the columns that they use, as its
-- migrations of 2026 leave them. Types and names are its own; its indexes and other tables are not needed here.
create table blocks (
  hash bytea primary key,
  number bigint not null,
  parent_hash bytea not null,
  miner_hash bytea not null,
  consensus boolean not null,
  timestamp timestamp without time zone not null,
  gas_limit numeric(100) not null,
  gas_used numeric(100) not null,
  base_fee_per_gas numeric(100),
  size integer
);

create table addresses (
  hash bytea primary key,
  fetched_coin_balance numeric(100),
  fetched_coin_balance_block_number bigint,
  contract_code bytea,
  nonce integer,
  verified boolean default false,
  transactions_count integer,
  token_transfers_count integer,
  gas_used bigint
);

create table transactions (
  hash bytea primary key,
  block_hash bytea,
  block_number integer,
  block_timestamp timestamp without time zone,
  block_consensus boolean default true,
  index integer,
  nonce integer not null,
  from_address_hash bytea not null,
  to_address_hash bytea,
  created_contract_address_hash bytea,
  value numeric(100) not null,
  gas numeric(100) not null,
  gas_price numeric(100),
  gas_used numeric(100),
  status integer,
  error varchar(255),
  input bytea not null,
  type integer
);

create table tokens (
  contract_address_hash bytea primary key,
  name text,
  symbol text,
  type varchar(255) not null,
  decimals numeric,
  total_supply numeric,
  holder_count integer,
  transfer_count integer,
  fiat_value numeric
);

create table token_transfers (
  transaction_hash bytea not null,
  block_hash bytea not null,
  log_index integer not null,
  block_number integer,
  block_consensus boolean default true,
  token_contract_address_hash bytea not null,
  token_type varchar(255),
  from_address_hash bytea not null,
  to_address_hash bytea not null,
  amount numeric,
  amounts numeric[],
  token_ids numeric(78)[],
  primary key (transaction_hash, block_hash, log_index)
);

create table address_current_token_balances (
  id bigint generated always as identity primary key,
  address_hash bytea not null,
  token_contract_address_hash bytea not null,
  block_number bigint not null,
  value numeric,
  token_id numeric(78),
  token_type varchar(255)
);

create table logs (
  block_hash bytea not null,
  index integer not null,
  transaction_hash bytea not null,
  block_number integer,
  address_hash bytea,
  data bytea not null,
  first_topic bytea,
  second_topic bytea,
  third_topic bytea,
  fourth_topic bytea,
  primary key (transaction_hash, block_hash, index)
);

create table smart_contracts (
  id bigint generated always as identity primary key,
  address_hash bytea not null unique,
  name varchar(255) not null,
  compiler_version varchar(255) not null,
  optimization boolean not null,
  contract_source_code text not null,
  contract_code_md5 varchar(255) not null,
  language smallint,
  license_type smallint not null default 1,
  inserted_at timestamp without time zone not null
);
