-- Data that enrichment workers query from the chain and from a price feed: later queries can give other values.
-- Result tables have one row per key and the same bookkeeping columns.

create table app.ft_token_metadata (
  token text primary key,
  name text,
  symbol text,
  decimals smallint not null default 8,
  description text,
  external_url text,
  logo text,
  vault_path text,
  receiver_path text,
  balance_path text,
  evm_address text,
  total_supply numeric,
  socials jsonb,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text
);

create index ft_token_metadata_due on app.ft_token_metadata (next_ask_at);
create index ft_token_metadata_failed on app.ft_token_metadata (next_ask_at) where status = 'failed';
create index ft_token_metadata_symbol on app.ft_token_metadata (lower(symbol), token);
create index ft_token_metadata_evm on app.ft_token_metadata (evm_address) where evm_address is not null;

comment on table app.ft_token_metadata is 'Fungible token metadata from contracts (FungibleTokenMetadataViews). Null values are not declared by the contract.';
comment on column app.ft_token_metadata.token is 'As in app.ft_transfers.';
comment on column app.ft_token_metadata.name is 'FTDisplay.name.';
comment on column app.ft_token_metadata.symbol is 'FTDisplay.symbol.';
comment on column app.ft_token_metadata.decimals is 'Decimals of balances: always 8, since balances are UFix64.';
comment on column app.ft_token_metadata.description is 'FTDisplay.description.';
comment on column app.ft_token_metadata.external_url is 'FTDisplay.externalURL.';
comment on column app.ft_token_metadata.logo is 'URI of the first of FTDisplay.logos.';
comment on column app.ft_token_metadata.vault_path is 'FTVaultData.storagePath, /storage/…';
comment on column app.ft_token_metadata.receiver_path is 'FTVaultData.receiverPath, /public/…';
comment on column app.ft_token_metadata.balance_path is 'FTVaultData.metadataPath, /public/…, for reading the balance.';
comment on column app.ft_token_metadata.evm_address is 'ERC-20 associated by the bridge, 0x and 40 hex digits.';
comment on column app.ft_token_metadata.total_supply is 'TotalSupply.supply at asked_at, in whole tokens.';
comment on column app.ft_token_metadata.socials is 'FTDisplay.socials: URL by name.';
comment on column app.ft_token_metadata.status is 'new (not queried yet), answered, none (the chain has no data; retried rarely), failed (the last query failed; earlier data remains).';
comment on column app.ft_token_metadata.failures is 'Consecutive failures; determines the back-off.';
comment on column app.ft_token_metadata.next_ask_at is 'Time of the next query; during a query, the end of the claim of its process. Before 1970: new when found, and queried first.';
comment on column app.ft_token_metadata.asked_at is 'Time of the last query.';
comment on column app.ft_token_metadata.last_error_code is 'Code of the last failure, or reason for missing data; null after a success.';
comment on column app.ft_token_metadata.last_error is 'Message of the last failure.';

create table app.nft_collection_metadata (
  token text primary key,
  name text,
  description text,
  external_url text,
  square_image text,
  banner_image text,
  storage_path text,
  public_path text,
  evm_address text,
  socials jsonb,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text
);

create index nft_collection_metadata_due on app.nft_collection_metadata (next_ask_at);
create index nft_collection_metadata_failed on app.nft_collection_metadata (next_ask_at) where status = 'failed';
create index nft_collection_metadata_evm on app.nft_collection_metadata (evm_address) where evm_address is not null;

comment on table app.nft_collection_metadata is 'NFT collection metadata from contracts (MetadataViews). Null values are not declared by the contract.';
comment on column app.nft_collection_metadata.token is 'As in app.nft_transfers.';
comment on column app.nft_collection_metadata.name is 'NFTCollectionDisplay.name.';
comment on column app.nft_collection_metadata.description is 'NFTCollectionDisplay.description.';
comment on column app.nft_collection_metadata.external_url is 'NFTCollectionDisplay.externalURL.';
comment on column app.nft_collection_metadata.square_image is 'URI of NFTCollectionDisplay.squareImage.';
comment on column app.nft_collection_metadata.banner_image is 'URI of NFTCollectionDisplay.bannerImage.';
comment on column app.nft_collection_metadata.storage_path is 'NFTCollectionData.storagePath, /storage/…';
comment on column app.nft_collection_metadata.public_path is 'NFTCollectionData.publicPath, /public/…';
comment on column app.nft_collection_metadata.evm_address is 'ERC-721 associated by the bridge, 0x and 40 hex digits.';
comment on column app.nft_collection_metadata.socials is 'NFTCollectionDisplay.socials: URL by name.';
comment on column app.nft_collection_metadata.status is 'As in app.ft_token_metadata.';

-- Prefix search without an extension. Words of titles are stored with each of their suffixes, so that a substring
-- matches as the prefix of one.

create function app.search_words(content text) returns text[] language sql immutable strict parallel safe
return array(
  select distinct left(word, 40)
  from regexp_split_to_table(lower(content), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f]+') as word
  where word <> ''
);

comment on function app.search_words(text) is 'Distinct words of a text in lower case, at most 40 characters each. ASCII other than letters and digits, and common Unicode punctuation, separate words.';

create function app.search_vector(title text, body text) returns tsvector language sql immutable parallel safe
return array_to_tsvector(array(
  select substr(word, start)
  from unnest(app.search_words(left(title, 1000))) as word
  cross join generate_series(1, case when word ~ '^\d+$' then 1 else length(word) end) as start
  where start = 1 or octet_length(substr(word, start)) >= 3
  union
  select word from unnest(app.search_words(left(body, 5000))) as word
));

comment on function app.search_vector(text, text) is 'Search document: words of title and body, and suffixes of at least three bytes of title words other than numbers.';

create function app.search_query(content text) returns tsquery language sql immutable strict parallel safe
return (
  select string_agg(
    '''' || word || case when octet_length(word) < 3 then '''' else ''':*' end, ' & ' order by word
  )::tsquery
  from unnest(app.search_words(content)) as word
);

comment on function app.search_query(text) is 'Query for texts that have every word of the content as a prefix; words under three bytes match exactly. Null without words.';

create table app.nft_items (
  token text not null,
  nft_id numeric(20) not null,
  name text,
  description text,
  thumbnail text,
  external_url text,
  serial_number numeric(20),
  edition_name text,
  edition_number numeric(20),
  edition_max numeric(20),
  rarity_score numeric,
  rarity_description text,
  traits jsonb,
  search tsvector generated always as (app.search_vector(name, description)) stored,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text,
  primary key (token, nft_id)
);

create index nft_items_due on app.nft_items (next_ask_at);
create index nft_items_failed on app.nft_items (next_ask_at) where status = 'failed';
create index nft_items_search on app.nft_items using gin (search) where status <> 'new';

comment on table app.nft_items is 'NFT metadata (MetadataViews), read from the owner''s collection. Null values are not declared by the item.';
comment on column app.nft_items.token is 'As in app.nft_transfers.';
comment on column app.nft_items.nft_id is 'Id within the collection.';
comment on column app.nft_items.name is 'Display.name.';
comment on column app.nft_items.description is 'Display.description.';
comment on column app.nft_items.thumbnail is 'URI of Display.thumbnail; can be a data: URI.';
comment on column app.nft_items.external_url is 'ExternalURL.url.';
comment on column app.nft_items.serial_number is 'Serial.number.';
comment on column app.nft_items.edition_name is 'Name of the first of Editions.';
comment on column app.nft_items.edition_number is 'Number of the first of Editions.';
comment on column app.nft_items.edition_max is 'Maximum number of the first of Editions.';
comment on column app.nft_items.rarity_score is 'Rarity.score.';
comment on column app.nft_items.rarity_description is 'Rarity.description.';
comment on column app.nft_items.traits is 'Traits: [{name, value, displayType, rarity}], values as text; null for values that are neither text nor number.';
comment on column app.nft_items.search is 'app.search_vector of name and description.';
comment on column app.nft_items.status is 'As in app.ft_token_metadata; none: not in a collection of its owner, or without Display.';

create table app.contract_code_questions (
  code_hash bytea primary key,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text
);

create index contract_code_questions_due on app.contract_code_questions (next_ask_at);
create index contract_code_questions_failed on app.contract_code_questions (next_ask_at) where status = 'failed';

comment on table app.contract_code_questions is 'Contract code to fetch and the state of its queries. The code is stored in app.contract_code.';
comment on column app.contract_code_questions.code_hash is 'SHA3-256 of the code, 32 bytes.';
comment on column app.contract_code_questions.status is 'As in app.ft_token_metadata; none: replaced in the same block, so no state of the chain has it.';

create index contract_versions_code on app.contract_versions (code_hash, block_height);

create table app.network_state (
  subject text primary key,
  height bigint,
  chain_view bigint,
  block_time timestamptz,
  epoch bigint,
  epoch_phase smallint,
  epoch_start_view bigint,
  staking_end_view bigint,
  epoch_end_view bigint,
  epoch_rewards numeric,
  target_end_time timestamptz,
  is_staking_enabled boolean,
  total_staked numeric,
  staked_by_role jsonb,
  minimum_stake_by_role jsonb,
  epoch_payout numeric,
  reward_cut numeric,
  total_supply numeric,
  node_count integer,
  staked_node_count integer,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text
);

create index network_state_due on app.network_state (next_ask_at);
create index network_state_failed on app.network_state (next_ask_at) where status = 'failed';

comment on table app.network_state is 'Epoch, stake and supply from FlowEpoch, FlowIDTableStaking and FlowToken, one row.';
comment on column app.network_state.subject is 'Always network.';
comment on column app.network_state.height is 'Height of the queried block.';
comment on column app.network_state.chain_view is 'View of that block.';
comment on column app.network_state.block_time is 'Time of that block.';
comment on column app.network_state.epoch is 'Current epoch counter.';
comment on column app.network_state.epoch_phase is '0 staking auction, 1 setup, 2 commit.';
comment on column app.network_state.epoch_start_view is 'First view of the epoch; null if unknown, as on a new emulator.';
comment on column app.network_state.staking_end_view is 'Last view of the staking auction.';
comment on column app.network_state.epoch_end_view is 'Last view of the epoch.';
comment on column app.network_state.epoch_rewards is 'Rewards of the epoch in FLOW; 0 before they are computed.';
comment on column app.network_state.target_end_time is 'Target end of the epoch.';
comment on column app.network_state.is_staking_enabled is 'Whether stakes can be changed.';
comment on column app.network_state.total_staked is 'FLOW staked, including delegations, without access nodes.';
comment on column app.network_state.staked_by_role is 'FLOW staked by role: 1 collection, 2 consensus, 3 execution, 4 verification, 5 access.';
comment on column app.network_state.minimum_stake_by_role is 'Minimum stake of a node in FLOW, by role.';
comment on column app.network_state.epoch_payout is 'FLOW paid out for the epoch.';
comment on column app.network_state.reward_cut is 'Operator''s share of delegator rewards, 0 to 1.';
comment on column app.network_state.total_supply is 'FLOW supply.';
comment on column app.network_state.node_count is 'Nodes in the staking table.';
comment on column app.network_state.staked_node_count is 'Nodes participating in the epoch.';
comment on column app.network_state.status is 'As in app.ft_token_metadata.';

create table app.staking_node_info (
  node_id text primary key,
  role smallint,
  networking_address text,
  tokens_staked numeric,
  tokens_committed numeric,
  tokens_unstaking numeric,
  tokens_unstaked numeric,
  tokens_rewarded numeric,
  tokens_requested_to_unstake numeric,
  total_staked numeric,
  delegator_count integer,
  initial_weight bigint,
  is_participant boolean not null default false,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text
);

create index staking_node_info_due on app.staking_node_info (next_ask_at);
create index staking_node_info_failed on app.staking_node_info (next_ask_at) where status = 'failed';

comment on table app.staking_node_info is 'Nodes in the staking table, with data that events do not carry.';
comment on column app.staking_node_info.node_id is '64 hex digits.';
comment on column app.staking_node_info.role is '1 collection, 2 consensus, 3 execution, 4 verification, 5 access.';
comment on column app.staking_node_info.networking_address is 'Host and port.';
comment on column app.staking_node_info.tokens_staked is 'FLOW staked by the operator. This and the following columns exclude delegations.';
comment on column app.staking_node_info.tokens_committed is 'FLOW committed for the next epoch.';
comment on column app.staking_node_info.tokens_unstaking is 'FLOW released after the epoch.';
comment on column app.staking_node_info.tokens_unstaked is 'Withdrawable FLOW that is not staked.';
comment on column app.staking_node_info.tokens_rewarded is 'Withdrawable FLOW rewards.';
comment on column app.staking_node_info.tokens_requested_to_unstake is 'FLOW requested to be unstaked.';
comment on column app.staking_node_info.total_staked is 'FLOW staked, including delegations; null above 2,000 delegators, too many for a script to sum.';
comment on column app.staking_node_info.is_participant is 'Whether it participates in the current epoch.';
comment on column app.staking_node_info.status is 'As in app.ft_token_metadata.';

create table app.price_feeds (
  feed text primary key,
  price_count integer,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text
);

create index price_feeds_due on app.price_feeds (next_ask_at);
create index price_feeds_failed on app.price_feeds (next_ask_at) where status = 'failed';

comment on table app.price_feeds is 'Price feeds and the state of their queries.';
comment on column app.price_feeds.feed is 'default: the feed of PRICE_FEED_URL.';
comment on column app.price_feeds.price_count is 'Prices in the last response.';
comment on column app.price_feeds.status is 'As in app.ft_token_metadata.';

create table app.prices (
  token text not null,
  currency text not null,
  price_time timestamptz not null,
  price numeric not null,
  symbol text,
  primary key (token, currency, price_time)
);

create index prices_symbol on app.prices (symbol, currency, price_time);

comment on table app.prices is 'Token prices from the feed.';
comment on column app.prices.token is 'A.<address>.<name>, as in app.ft_transfers.';
comment on column app.prices.currency is 'Upper case, e.g. USD.';
comment on column app.prices.price_time is 'Time of the price, or of the response if the feed gives none.';
comment on column app.prices.price is 'Price of one whole token.';
comment on column app.prices.symbol is 'Symbol from the feed, upper case, or null.';

create table app.nft_holder_checks (
  holder text not null,
  token text not null,
  checked_height bigint,
  held_count bigint,
  is_listed boolean not null default true,
  checked_up_to numeric(20),
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text,
  primary key (holder, token)
);

create index nft_holder_checks_due on app.nft_holder_checks (next_ask_at);
create index nft_holder_checks_failed on app.nft_holder_checks (next_ask_at) where status = 'failed';

comment on table app.nft_holder_checks is 'NFT holders and the state of the queries for their NFTs.';
comment on column app.nft_holder_checks.holder is 'Account, 0x and 16 hex digits.';
comment on column app.nft_holder_checks.token is 'As in app.nft_transfers.';
comment on column app.nft_holder_checks.checked_height is 'Height of the queried state.';
comment on column app.nft_holder_checks.held_count is 'NFTs in collections in its storage; null if too many to list.';
comment on column app.nft_holder_checks.is_listed is 'False if the account holds too many NFTs to list, so that only known ids are checked.';
comment on column app.nft_holder_checks.checked_up_to is 'Last id checked if is_listed is false; null at the start.';
comment on column app.nft_holder_checks.status is 'As in app.ft_token_metadata; none: the storage of the account has no collection.';

create table app.nft_ownership_corrections (
  token text not null,
  nft_id numeric(20) not null,
  owner text,
  not_in text,
  checked_height bigint not null,
  corrected_at timestamptz not null default now(),
  primary key (token, nft_id)
);

create index nft_ownership_corrections_owner on app.nft_ownership_corrections (owner, token, nft_id) where owner is not null;
create index nft_ownership_corrections_not_in on app.nft_ownership_corrections (not_in, token, nft_id) where not_in is not null;

comment on table app.nft_ownership_corrections is 'NFT owners for which the chain contradicts the events. A correction applies until app.nft_ownership has a later event.';
comment on column app.nft_ownership_corrections.token is 'As in app.nft_transfers.';
comment on column app.nft_ownership_corrections.nft_id is 'Id within the collection.';
comment on column app.nft_ownership_corrections.owner is 'Actual owner; null if unknown.';
comment on column app.nft_ownership_corrections.not_in is 'Owner by events, which has the NFT in no collection in its storage (another resource may hold it). Null if owner is null because a found owner no longer has it.';
comment on column app.nft_ownership_corrections.checked_height is 'Height of the queried state. Later events take precedence.';

create table app.asking_walks (
  question text primary key,
  last_key text[],
  laps bigint not null default 0,
  lap_ended_at timestamptz
);

comment on table app.asking_walks is 'Progress of the scans for keys that were never queried. A scan restarts after its end.';
comment on column app.asking_walks.question is 'Name of the result table.';
comment on column app.asking_walks.last_key is 'Last key scanned; null at the start.';
comment on column app.asking_walks.laps is 'Completed scans.';
comment on column app.asking_walks.lap_ended_at is 'End of the last completed scan.';

create view app.nft_owners as
select o.token, o.nft_id, o.nft_uuid, o.block_height, o.is_burned,
  case when c.checked_height >= o.block_height then c.owner else o.owner end as owner, c.checked_height >= o.block_height as is_corrected
from app.nft_ownership o left join app.nft_ownership_corrections c using (token, nft_id)
union all
select c.token, c.nft_id, null, c.checked_height, false, c.owner, true
from app.nft_ownership_corrections c
where not exists (select from app.nft_ownership o where o.token = c.token and o.nft_id = c.nft_id);

comment on view app.nft_owners is 'Owner of an NFT by events and corrections. Filter by token and nft_id. For the NFTs of an account, read app.nft_ownership and app.nft_ownership_corrections by owner, which is indexed.';
comment on column app.nft_owners.owner is 'Account; null if unknown.';
comment on column app.nft_owners.is_corrected is 'True if the chain contradicts the events; false or null if it does not or was not queried since.';
