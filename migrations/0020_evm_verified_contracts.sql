create table app.evm_verified_contracts (
  address text primary key,
  code_hash text not null,
  match text not null check (match in ('full', 'partial')),
  name text not null,
  source_path text not null,
  compiler text not null,
  settings jsonb not null,
  sources jsonb not null,
  abi jsonb not null,
  constructor_arguments text,
  verified_at timestamptz not null default now()
);

comment on table app.evm_verified_contracts is 'Sources of EVM contracts that clients uploaded and that compile to the code of the contract.';
comment on column app.evm_verified_contracts.address is '40 hex digits.';
comment on column app.evm_verified_contracts.code_hash is 'Keccak-256 of the code when it was verified, 64 hex digits.';
comment on column app.evm_verified_contracts.match is 'full: also the hash of the sources in the code is equal. partial: the code is equal without it.';
comment on column app.evm_verified_contracts.name is 'Name of the contract in its source.';
comment on column app.evm_verified_contracts.source_path is 'Source that declares it.';
comment on column app.evm_verified_contracts.compiler is 'Version: 0.8.37+commit.f401782d.';
comment on column app.evm_verified_contracts.settings is 'Compiler settings, from the metadata of the contract.';
comment on column app.evm_verified_contracts.sources is 'Sources by path.';
comment on column app.evm_verified_contracts.abi is 'ABI in JSON.';
comment on column app.evm_verified_contracts.constructor_arguments is 'Encoded arguments, hex digits; null if the creation is not indexed.';

create table app.evm_verified_signatures (
  address text not null references app.evm_verified_contracts on delete cascade,
  selector text not null,
  signature jsonb not null,
  primary key (address, selector)
);

comment on table app.evm_verified_signatures is 'Functions and events of verified EVM contracts, by which calls and logs are decoded.';
comment on column app.evm_verified_signatures.selector is '8 hex digits of a function; 64 of an event, its first topic.';
comment on column app.evm_verified_signatures.signature is 'Name, parameters and their types.';

do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'flowfarm_reader') then
    grant select on app.evm_verified_contracts, app.evm_verified_signatures to flowfarm_reader;
  end if;
end
$$;
