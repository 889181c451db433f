-- Accounts, their keys and contracts.

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
comment on column app.accounts.first_seen_height is 'First block with it.';
comment on column app.accounts.last_seen_height is 'Last block with it.';
comment on column app.accounts.created_height is 'Block that created it; null while that block is not indexed.';
comment on column app.accounts.created_tx_index is 'Transaction that created it, by its position in that block.';

-- Roles of accounts in transactions, EVM accounts of Flow accounts, keys, contracts.
-- Histories of keys, EVM accounts and contracts are not partitioned: they have few rows, and are looked at by account.

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

comment on table app.address_transactions is 'Accounts that paid for, proposed or authorized a transaction, or were created by it. Without the chain''s own transactions, but for what they created.';
comment on column app.address_transactions.block_height is 'Height of the block.';
comment on column app.address_transactions.gas_used is 'Computation used by the transaction, as raw.transactions has it; null for accounts that did not pay for it.';
comment on column app.address_transactions.tx_index is 'Position of the transaction in the block.';
comment on column app.address_transactions.is_payer is 'It paid the fee.';
comment on column app.address_transactions.is_proposer is 'Its key orders the transaction.';
comment on column app.address_transactions.is_authorizer is 'It gave the transaction access to itself.';
comment on column app.address_transactions.is_created is 'The transaction created it.';
comment on column app.address_transactions.address is 'Account, 0x and 16 hex digits.';

create table app.address_stats (
  address text primary key,
  tx_count bigint not null,
  gas_used bigint not null
);

create index address_stats_busiest on app.address_stats (tx_count desc, address);

comment on table app.address_stats is 'The sums of app.address_transactions. When it was first and last: app.accounts.';
comment on column app.address_stats.address is 'Account, 0x and 16 hex digits.';
comment on column app.address_stats.tx_count is 'Transactions that it paid for, proposed or authorized, each once.';
comment on column app.address_stats.gas_used is 'Computation used by those that it paid for.';

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

comment on table app.coa_accounts is 'EVM accounts that Cadence owns, by the event of their creation. It does not say where the resource was put: who has it follows from the rest of the transaction, where it does.';
comment on column app.coa_accounts.block_height is 'Height of the block.';
comment on column app.coa_accounts.tx_index is 'Position of the transaction in the block.';
comment on column app.coa_accounts.event_index is 'The event CadenceOwnedAccountCreated.';
comment on column app.coa_accounts.coa_address is 'EVM address, 0x and 40 hex digits.';
comment on column app.coa_accounts.flow_address is 'Account that got the resource, 0x and 16 hex digits; null where several may have.';
comment on column app.coa_accounts.owner_evidence is 'capability: in the same transaction it issued a capability for such a resource. only_account: no other account could store anything. Null: owner not known.';

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

comment on table app.account_key_changes is 'Keys that were added to accounts and revoked, as their events say.';
comment on column app.account_key_changes.block_height is 'Height of the block.';
comment on column app.account_key_changes.tx_index is 'Position of the transaction in the block.';
comment on column app.account_key_changes.event_index is 'The event AccountKeyAdded or AccountKeyRemoved.';
comment on column app.account_key_changes.key_index is 'Index of the key in its account. Null: an event of before Cadence 1.0 that does not say it, and whose transaction did not create the account.';
comment on column app.account_key_changes.weight is 'Weight of 1000 that a transaction needs; null where the event does not say it.';
comment on column app.account_key_changes.signing_algorithm is 'As in app.account_keys.';
comment on column app.account_key_changes.hashing_algorithm is 'As in app.account_keys; null where the event does not say it.';
comment on column app.account_key_changes.is_removed is 'Revoked rather than added.';
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

comment on table app.account_keys is 'Keys of accounts, revoked ones included. Without those that were added before the first indexed block.';
comment on column app.account_keys.address is 'Account, 0x and 16 hex digits.';
comment on column app.account_keys.key_index is 'Index of the key in its account, from 0.';
comment on column app.account_keys.public_key is 'Bytes of the key: both coordinates, 32 bytes each, for ECDSA. Null: it was added before the first indexed block.';
comment on column app.account_keys.signing_algorithm is 'As access nodes number them: 1 BLS_BLS12_381, 2 ECDSA_P256, 3 ECDSA_secp256k1.';
comment on column app.account_keys.hashing_algorithm is '1 SHA2_256, 2 SHA2_384, 3 SHA3_256, 4 SHA3_384, 5 KMAC128_BLS_BLS12_381, 6 KECCAK_256; null where no event said it.';
comment on column app.account_keys.weight is 'Weight of 1000 that a transaction needs; null where no event said it.';
comment on column app.account_keys.is_revoked is 'Revoked: for good, and its index is not used again.';
comment on column app.account_keys.added_height is 'Block that added it; null while not indexed.';
comment on column app.account_keys.added_tx_index is 'Transaction that added it, by its position in that block.';
comment on column app.account_keys.revoked_height is 'Block that revoked it.';
comment on column app.account_keys.revoked_tx_index is 'Transaction that revoked it, by its position in that block.';

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

comment on table app.contract_versions is 'What happened to contracts. A version has no stored number: its number is its place among the changes of its contract, by position, without removals.';
comment on column app.contract_versions.block_height is 'Height of the block.';
comment on column app.contract_versions.tx_index is 'Position of the transaction in the block.';
comment on column app.contract_versions.event_index is 'The event.';
comment on column app.contract_versions.change is 'added, updated, removed.';
comment on column app.contract_versions.address is 'Account that has the contract, 0x and 16 hex digits.';
comment on column app.contract_versions.name is 'Name of the contract.';
comment on column app.contract_versions.code_hash is 'SHA3-256 of the code, 32 bytes; of the code that was there, for a removal. The code itself: app.contract_code.';

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

comment on table app.smart_contracts is 'Contracts as the last change of each left them, removed ones included.';
comment on column app.smart_contracts.address is 'Account that has the contract, 0x and 16 hex digits.';
comment on column app.smart_contracts.name is 'Name of the contract.';
comment on column app.smart_contracts.created_height is 'Block that added it first; null while not indexed.';
comment on column app.smart_contracts.created_tx_index is 'Transaction that added it first, by its position in that block.';
comment on column app.smart_contracts.updated_height is 'Block of the last change: an addition, an update or a removal.';
comment on column app.smart_contracts.updated_tx_index is 'Transaction of the last change, by its position in that block.';
comment on column app.smart_contracts.updated_event_index is 'Event of the last change, by its position in that transaction.';
comment on column app.smart_contracts.is_removed is 'The last change removed it.';
comment on column app.smart_contracts.code_hash is 'SHA3-256 of its code, 32 bytes; of the last that it had, if it was removed.';

-- Asked for, not derived: what a code says depends on nothing but the code, so it stays true whatever the chain does.
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

comment on table app.contract_code is 'Code of contracts by its hash, each once, and what it says.';
comment on column app.contract_code.code_hash is 'SHA3-256 of the code, 32 bytes.';
comment on column app.contract_code.code is 'Cadence source.';
comment on column app.contract_code.code_bytes is 'The exact bytes, only where the text is not exact: U+0000 or no valid UTF-8.';
comment on column app.contract_code.kind is 'FT, NFT or CONTRACT, by what its declaration says it conforms to, or by the name of a bridged asset.';
comment on column app.contract_code.imports is 'Contracts that it imports, A.<address>.<name>, sorted.';
comment on column app.contract_code.found_in is 'Where it was found: argument or script of the transaction that deployed it, or chain, as an access node gave it.';
comment on column app.contract_code.stored_at is 'When it was found.';

-- The bridge calls what it deploys for an asset of the EVM by the asset's address. Source: onflow/flow-evm-bridge
-- FlowEVMBridgeConfig.cdc.
create view app.contracts as
select
  'A.' || substr(s.address, 3) || '.' || s.name as contract, s.address, s.name, s.created_height, s.created_tx_index,
  s.updated_height, s.updated_tx_index, s.updated_event_index, s.is_removed, s.code_hash,
  coalesce(c.kind, case
    when s.name ~* '^EVMVMBridgedToken_[0-9a-f]{40}$' then 'FT' when s.name ~* '^EVMVMBridgedNFT_[0-9a-f]{40}$' then 'NFT'
  end) as kind,
  c.imports
from app.smart_contracts s left join app.contract_code c using (code_hash);

comment on view app.contracts is 'Contracts with what their code says, where it is known.';
comment on column app.contracts.contract is 'A.<address>.<name>';
comment on column app.contracts.kind is 'As in app.contract_code; null while the code is not known and the name does not tell.';
comment on column app.contracts.imports is 'As in app.contract_code; null while the code is not known.';

create view app.contract_dependents as
select i.contract, count(*) as dependent_count
from app.smart_contracts s join app.contract_code c using (code_hash) cross join unnest(c.imports) as i (contract)
where not s.is_removed
group by i.contract;

comment on view app.contract_dependents is 'How many contracts import a contract, by their present code. The cost is that of all contracts, unless one contract is asked for in another way: contracts whose imports hold it.';
comment on column app.contract_dependents.contract is 'The contract that is imported, A.<address>.<name>.';
comment on column app.contract_dependents.dependent_count is 'Contracts that import it.';

create view app.contract_code_wanted as
select v.block_height, v.tx_index, v.event_index, v.address, v.name, v.code_hash
from app.contract_versions v
where v.change <> 'removed' and not exists (select from app.contract_code c where c.code_hash = v.code_hash);

comment on view app.contract_code_wanted is 'Versions of contracts whose code is not known. It may be in an argument or the script of their transaction; an access node gives what the block left in the account.';
