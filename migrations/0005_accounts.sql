create table app.accounts (
  address text primary key,
  first_seen_height bigint not null,
  last_seen_height bigint not null,
  created_height bigint,
  created_tx_index integer
);

create index accounts_newest on app.accounts (first_seen_height desc, address);
create index accounts_active on app.accounts (last_seen_height desc, address);

comment on table app.accounts is 'Accounts that were created or took part in a transaction.';
comment on column app.accounts.address is '0x and 16 hex digits.';
comment on column app.accounts.first_seen_height is 'First block with the account.';
comment on column app.accounts.last_seen_height is 'Last block with the account.';
comment on column app.accounts.created_height is 'Height of its creation; null if not indexed.';
comment on column app.accounts.created_tx_index is 'Position of the creating transaction in that block.';

-- Key, COA and contract histories are not partitioned: they are small and read by account.

create table app.address_transactions (
  block_height bigint not null,
  gas_used bigint,
  tx_index integer not null,
  is_payer boolean not null,
  is_proposer boolean not null,
  is_authorizer boolean not null,
  is_created boolean not null,
  address text not null,
  primary key (address, block_height, tx_index)
) partition by range (block_height);

create index address_transactions_height on app.address_transactions (block_height);

comment on table app.address_transactions is 'Payers, proposers, authorizers and created accounts of transactions. System transactions count only for the accounts that they created.';
comment on column app.address_transactions.gas_used is 'Computation used by the transaction; null unless the account is the payer.';
comment on column app.address_transactions.is_created is 'Whether the transaction created the account.';
comment on column app.address_transactions.address is 'Account, 0x and 16 hex digits.';

create table app.address_stats (
  address text primary key,
  tx_count bigint not null,
  gas_used bigint not null
);

create index address_stats_busiest on app.address_stats (tx_count desc, address);

comment on table app.address_stats is 'Totals of app.address_transactions by account.';
comment on column app.address_stats.address is 'Account, 0x and 16 hex digits.';
comment on column app.address_stats.tx_count is 'Transactions that it paid for, proposed or authorized.';
comment on column app.address_stats.gas_used is 'Computation used by the transactions that it paid for.';

create table app.coa_accounts (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  coa_address text not null,
  flow_address text,
  owner_evidence text,
  primary key (block_height, tx_index, event_index)
);

create index coa_accounts_coa on app.coa_accounts (coa_address, block_height, tx_index, event_index);
create index coa_accounts_flow on app.coa_accounts (flow_address, block_height, tx_index, event_index)
  where flow_address is not null;

comment on table app.coa_accounts is 'Cadence-owned accounts (COA) by creation event. The event does not name the owner, which is inferred from the transaction where possible.';
comment on column app.coa_accounts.event_index is 'Index of the CadenceOwnedAccountCreated event.';
comment on column app.coa_accounts.coa_address is 'EVM address, 0x and 40 hex digits.';
comment on column app.coa_accounts.flow_address is 'Owner, 0x and 16 hex digits; null if ambiguous.';
comment on column app.coa_accounts.owner_evidence is 'capability: the owner issued a capability for a COA in the same transaction. only_account: no other account could store it. Null: owner unknown.';

create table app.account_key_changes (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  key_index integer,
  weight integer,
  signing_algorithm smallint,
  hashing_algorithm smallint,
  is_removed boolean not null,
  address text not null,
  public_key bytea,
  primary key (block_height, tx_index, event_index)
);

create index account_key_changes_key on app.account_key_changes (address, key_index, block_height, tx_index, event_index);

comment on table app.account_key_changes is 'Keys added to and revoked from accounts, from events.';
comment on column app.account_key_changes.event_index is 'Index of the AccountKeyAdded or AccountKeyRemoved event.';
comment on column app.account_key_changes.key_index is 'Key index. Null for events before Cadence 1.0 that omit it, unless the transaction created the account.';
comment on column app.account_key_changes.weight is 'Weight of 1000 required; null if the event omits it.';
comment on column app.account_key_changes.signing_algorithm is 'As in app.account_keys.';
comment on column app.account_key_changes.hashing_algorithm is 'As in app.account_keys; null if the event omits it.';
comment on column app.account_key_changes.is_removed is 'True for a revocation.';
comment on column app.account_key_changes.address is 'Account, 0x and 16 hex digits.';
comment on column app.account_key_changes.public_key is 'As in app.account_keys; null for a revocation by index.';

create table app.account_keys (
  address text not null,
  key_index integer not null,
  public_key bytea,
  signing_algorithm smallint,
  hashing_algorithm smallint,
  weight integer,
  is_revoked boolean not null,
  added_height bigint,
  added_tx_index integer,
  revoked_height bigint,
  revoked_tx_index integer,
  primary key (address, key_index)
);

create index account_keys_public_key on app.account_keys (public_key, is_revoked, address, key_index)
  where public_key is not null;

comment on table app.account_keys is 'Account keys, including revoked ones, without keys added before the first indexed block.';
comment on column app.account_keys.address is 'Account, 0x and 16 hex digits.';
comment on column app.account_keys.key_index is 'Key index, from 0.';
comment on column app.account_keys.public_key is 'Public key; for ECDSA both coordinates, 32 bytes each. Null if added before the first indexed block.';
comment on column app.account_keys.signing_algorithm is '1 BLS_BLS12_381, 2 ECDSA_P256, 3 ECDSA_secp256k1.';
comment on column app.account_keys.hashing_algorithm is '1 SHA2_256, 2 SHA2_384, 3 SHA3_256, 4 SHA3_384, 5 KMAC128_BLS_BLS12_381, 6 KECCAK_256; null if no event has it.';
comment on column app.account_keys.weight is 'Weight of 1000 required; null if no event has it.';
comment on column app.account_keys.is_revoked is 'Revocation is permanent, and the index is not reused.';
comment on column app.account_keys.added_height is 'Height of the addition; null if not indexed.';
comment on column app.account_keys.added_tx_index is 'Position of the adding transaction in that block.';
comment on column app.account_keys.revoked_height is 'Height of the revocation.';
comment on column app.account_keys.revoked_tx_index is 'Position of the revoking transaction in that block.';

create table app.contract_versions (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  change text not null,
  address text not null,
  name text not null,
  code_hash bytea not null,
  primary key (block_height, tx_index, event_index)
);

create index contract_versions_contract on app.contract_versions (address, name, block_height, tx_index, event_index);

comment on table app.contract_versions is 'Contract changes. Versions are numbered by their position among the changes of a contract, without removals.';
comment on column app.contract_versions.change is 'added, updated, removed.';
comment on column app.contract_versions.address is 'Account, 0x and 16 hex digits.';
comment on column app.contract_versions.code_hash is 'SHA3-256 of the code (of the removed code for a removal), 32 bytes. The code is in app.contract_code.';

create table app.smart_contracts (
  address text not null,
  name text not null,
  created_height bigint,
  created_tx_index integer,
  updated_height bigint not null,
  updated_tx_index integer not null,
  updated_event_index integer not null,
  is_removed boolean not null,
  code_hash bytea not null,
  primary key (address, name)
);

create index smart_contracts_newest on app.smart_contracts (created_height desc, created_tx_index desc, address, name);
create index smart_contracts_updated on app.smart_contracts (updated_height desc, updated_tx_index desc, updated_event_index desc);
create index smart_contracts_name on app.smart_contracts (name, address);
create index smart_contracts_code on app.smart_contracts (code_hash);

comment on table app.smart_contracts is 'Current state of contracts, including removed ones.';
comment on column app.smart_contracts.address is 'Account, 0x and 16 hex digits.';
comment on column app.smart_contracts.created_height is 'Height of the first deployment; null if not indexed.';
comment on column app.smart_contracts.created_tx_index is 'Position of that transaction in the block.';
comment on column app.smart_contracts.updated_height is 'Height of the last change.';
comment on column app.smart_contracts.updated_tx_index is 'Position of that transaction in the block.';
comment on column app.smart_contracts.updated_event_index is 'Index of that event in the transaction.';
comment on column app.smart_contracts.code_hash is 'SHA3-256 of the current or last code, 32 bytes.';

-- Not derived: it depends on the code alone, so rollbacks do not affect it.
create table app.contract_code (
  code_hash bytea primary key,
  code text not null,
  code_bytes bytea,
  kind text not null,
  imports text[] not null,
  found_in text not null,
  stored_at timestamptz not null default now()
);

create index contract_code_imports on app.contract_code using gin (imports);

comment on table app.contract_code is 'Contract code by hash, and data parsed from it.';
comment on column app.contract_code.code_hash is 'SHA3-256 of the code, 32 bytes.';
comment on column app.contract_code.code_bytes is 'Exact bytes, only if the text differs from them: U+0000 or invalid UTF-8.';
comment on column app.contract_code.kind is 'FT, NFT or CONTRACT, from the declared conformances or the name of a bridged asset.';
comment on column app.contract_code.imports is 'Imported contracts, A.<address>.<name>, sorted.';
comment on column app.contract_code.found_in is 'Source: argument or script of the deploying transaction, or chain (an access node).';

-- The bridge names contracts after the EVM address of the asset. Source: FlowEVMBridgeConfig.cdc of
-- onflow/flow-evm-bridge.
create view app.contracts as
select
  'A.' || substr(s.address, 3) || '.' || s.name as contract, s.address, s.name, s.created_height, s.created_tx_index,
  s.updated_height, s.updated_tx_index, s.updated_event_index, s.is_removed, s.code_hash,
  coalesce(c.kind, case
    when s.name ~* '^EVMVMBridgedToken_[0-9a-f]{40}$' then 'FT' when s.name ~* '^EVMVMBridgedNFT_[0-9a-f]{40}$' then 'NFT'
  end) as kind,
  c.imports
from app.smart_contracts s left join app.contract_code c using (code_hash);

comment on view app.contracts is 'Contracts with data parsed from their code.';
comment on column app.contracts.contract is 'A.<address>.<name>';
comment on column app.contracts.kind is 'As in app.contract_code; null if the code is unknown and the name does not show it.';
comment on column app.contracts.imports is 'As in app.contract_code; null if the code is unknown.';

create view app.contract_dependents as
select i.contract, count(*) as dependent_count
from app.smart_contracts s join app.contract_code c using (code_hash) cross join unnest(c.imports) as i (contract)
where not s.is_removed
group by i.contract;

comment on view app.contract_dependents is 'Number of contracts that import a contract, by current code. Reads all contracts; to find the dependents of one contract, filter app.contracts by imports.';
comment on column app.contract_dependents.contract is 'Imported contract, A.<address>.<name>.';

create view app.contract_code_wanted as
select v.block_height, v.tx_index, v.event_index, v.address, v.name, v.code_hash
from app.contract_versions v
where v.change <> 'removed' and not exists (select from app.contract_code c where c.code_hash = v.code_hash);

comment on view app.contract_code_wanted is 'Contract versions whose code is missing. It may be in an argument or the script of the transaction; access nodes serve the code at the end of the block.';
