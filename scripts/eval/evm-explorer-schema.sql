-- A subset of Blockscout's tables (source: its repository, August 2026) with its names, types and
-- keys. Ecto's utc_datetime_usec is a timestamp without time zone, its string a varchar(255), its
-- decimal a numeric.
create table blocks (
  hash bytea primary key,
  number bigint not null,
  parent_hash bytea not null,
  miner_hash bytea not null,
  nonce bytea not null,
  consensus boolean not null,
  timestamp timestamp without time zone not null,
  gas_limit numeric(100) not null,
  gas_used numeric(100) not null,
  base_fee_per_gas numeric(100),
  difficulty numeric(50),
  total_difficulty numeric(50),
  size integer,
  refetch_needed boolean default false,
  is_empty boolean,
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null
);

create table addresses (
  hash bytea primary key,
  fetched_coin_balance numeric(100),
  fetched_coin_balance_block_number bigint,
  contract_code bytea,
  nonce integer,
  decompiled boolean,
  verified boolean,
  gas_used bigint,
  transactions_count integer,
  token_transfers_count integer,
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null
);

-- Internal transactions name addresses by number.
create table address_ids_to_address_hashes (
  address_id bigserial primary key,
  address_hash bytea not null unique
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
  created_contract_code_indexed_at timestamp without time zone,
  value numeric(100) not null,
  gas numeric(100) not null,
  gas_price numeric(100),
  gas_used numeric(100),
  cumulative_gas_used numeric(100),
  max_fee_per_gas numeric(100),
  max_priority_fee_per_gas numeric(100),
  status integer,
  error varchar(255),
  revert_reason text,
  has_error_in_internal_transactions boolean,
  input bytea not null,
  type integer,
  old_block_hash bytea,
  earliest_processing_start timestamp without time zone,
  r numeric(100) not null,
  s numeric(100) not null,
  v numeric(100) not null,
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null
);

create table transaction_errors (
  id smallserial primary key,
  message varchar(255) not null unique,
  inserted_at timestamp without time zone not null
);

create type internal_transactions_call_type as enum ('call', 'callcode', 'delegatecall', 'staticcall', 'invalid');

-- After its background migrations: without hashes of transactions and blocks, and without error
-- texts.
create table internal_transactions (
  block_number integer not null,
  transaction_index integer not null,
  index integer not null,
  type varchar(255) not null,
  call_type varchar(255),
  call_type_enum internal_transactions_call_type,
  from_address_id bigint,
  to_address_id bigint,
  created_contract_address_id bigint,
  from_address_hash bytea,
  to_address_hash bytea,
  created_contract_address_hash bytea,
  value numeric(100),
  gas numeric(100),
  gas_used numeric(100),
  error_id smallint,
  trace_address integer[],
  init bytea,
  input bytea,
  output bytea,
  created_contract_code bytea,
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null,
  primary key (block_number, transaction_index, index)
);

create table tokens (
  contract_address_hash bytea primary key,
  name text,
  symbol text,
  type varchar(255) not null,
  decimals numeric,
  total_supply numeric,
  circulating_supply numeric,
  holder_count integer,
  transfer_count integer,
  cataloged boolean default false,
  skip_metadata boolean,
  total_supply_updated_at_block bigint,
  metadata_updated_at timestamp without time zone,
  fiat_value numeric,
  circulating_market_cap numeric,
  volume_24h numeric,
  icon_url text,
  is_verified_via_admin_panel boolean default false,
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null
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
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null,
  primary key (transaction_hash, block_hash, log_index)
);

create table address_current_token_balances (
  id bigserial primary key,
  address_hash bytea not null,
  token_contract_address_hash bytea not null,
  block_number bigint not null,
  value numeric,
  old_value numeric,
  value_fetched_at timestamp without time zone,
  token_id numeric(78),
  token_type varchar(255),
  refetch_after timestamp without time zone,
  retries_count smallint,
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null
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
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null,
  primary key (transaction_hash, block_hash, index)
);

create table smart_contracts (
  id bigserial primary key,
  address_hash bytea not null unique,
  name varchar(255) not null,
  compiler_version varchar(255) not null,
  optimization boolean not null,
  optimization_runs bigint,
  contract_source_code text not null,
  contract_code_md5 varchar(255) not null,
  constructor_arguments text,
  evm_version varchar(255),
  abi jsonb,
  file_path text,
  compiler_settings jsonb,
  language smallint,
  license_type smallint not null default 1,
  partially_verified boolean,
  certified boolean,
  is_blueprint boolean,
  inserted_at timestamp without time zone not null,
  updated_at timestamp without time zone not null
);
