-- What the chain answered when it was asked: metadata, code, prices. Not derived: asked again, it may say something else.
-- A table of answers has a row for each key that there is to ask for, with the same columns of how the asking goes.

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

comment on table app.ft_token_metadata is 'What contracts of fungible tokens say of themselves (FungibleTokenMetadataViews).';
comment on column app.ft_token_metadata.token is 'As in app.ft_transfers.';
comment on column app.ft_token_metadata.name is 'FTDisplay.name; like all that follows null where the contract does not say it.';
comment on column app.ft_token_metadata.symbol is 'FTDisplay.symbol.';
comment on column app.ft_token_metadata.decimals is 'Decimals of balances: 8 for every token of the chain, since they are UFix64.';
comment on column app.ft_token_metadata.description is 'FTDisplay.description.';
comment on column app.ft_token_metadata.external_url is 'FTDisplay.externalURL.';
comment on column app.ft_token_metadata.logo is 'URI of the first of FTDisplay.logos.';
comment on column app.ft_token_metadata.vault_path is 'FTVaultData.storagePath, /storage/…';
comment on column app.ft_token_metadata.receiver_path is 'FTVaultData.receiverPath, /public/…';
comment on column app.ft_token_metadata.balance_path is 'FTVaultData.metadataPath, /public/…, where the balance can be read.';
comment on column app.ft_token_metadata.evm_address is 'The ERC-20 that the bridge has associated with it, 0x and 40 hex digits.';
comment on column app.ft_token_metadata.total_supply is 'TotalSupply.supply at asked_at, in whole tokens.';
comment on column app.ft_token_metadata.socials is 'FTDisplay.socials: URL by name.';
comment on column app.ft_token_metadata.status is 'new: not asked yet. answered. none: the chain has nothing to say of it; asked again seldom. failed: the last asking failed; what was answered before is kept.';
comment on column app.ft_token_metadata.failures is 'Failures in a row; the pause grows with each.';
comment on column app.ft_token_metadata.next_ask_at is 'When it is due. A time of before 1970: it was new when it was found, and goes before others.';
comment on column app.ft_token_metadata.asked_at is 'When it was last asked.';
comment on column app.ft_token_metadata.last_error_code is 'Code of the last failure, or why there is nothing; null after an answer.';
comment on column app.ft_token_metadata.last_error is 'Its message.';

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

comment on table app.nft_collection_metadata is 'What contracts of non-fungible tokens say of their collections (MetadataViews).';
comment on column app.nft_collection_metadata.token is 'As in app.nft_transfers.';
comment on column app.nft_collection_metadata.name is 'NFTCollectionDisplay.name; like all that follows null where the contract does not say it.';
comment on column app.nft_collection_metadata.description is 'NFTCollectionDisplay.description.';
comment on column app.nft_collection_metadata.external_url is 'NFTCollectionDisplay.externalURL.';
comment on column app.nft_collection_metadata.square_image is 'URI of NFTCollectionDisplay.squareImage.';
comment on column app.nft_collection_metadata.banner_image is 'URI of NFTCollectionDisplay.bannerImage.';
comment on column app.nft_collection_metadata.storage_path is 'NFTCollectionData.storagePath, /storage/…';
comment on column app.nft_collection_metadata.public_path is 'NFTCollectionData.publicPath, /public/…';
comment on column app.nft_collection_metadata.evm_address is 'The ERC-721 that the bridge has associated with it, 0x and 40 hex digits.';
comment on column app.nft_collection_metadata.socials is 'NFTCollectionDisplay.socials: URL by name.';
comment on column app.nft_collection_metadata.status is 'As in app.ft_token_metadata.';
comment on column app.nft_collection_metadata.failures is 'As in app.ft_token_metadata.';
comment on column app.nft_collection_metadata.next_ask_at is 'As in app.ft_token_metadata.';
comment on column app.nft_collection_metadata.asked_at is 'As in app.ft_token_metadata.';
comment on column app.nft_collection_metadata.last_error_code is 'As in app.ft_token_metadata.';
comment on column app.nft_collection_metadata.last_error is 'As in app.ft_token_metadata.';

-- Words for searching without an extension: a search is for beginnings of words, and a word of a name is kept with each of
-- its ends, so that a part of it is the beginning of one.

create function app.search_words(content text) returns text[] language sql immutable strict parallel safe
return array(
  select distinct left(word, 40)
  from regexp_split_to_table(lower(content), '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf\u2000-\u206f\u3000-\u303f]+') as word
  where word <> ''
);

comment on function app.search_words(text) is 'The words of a text, each once, in lower case and at most 40 characters of each. What is between them: all of ASCII that is no letter and no digit, and the usual punctuation of Unicode.';

create function app.search_vector(title text, body text) returns tsvector language sql immutable parallel safe
return array_to_tsvector(array(
  select substr(word, start)
  from unnest(app.search_words(left(title, 1000))) as word
  cross join generate_series(1, case when word ~ '^\d+$' then 1 else length(word) end) as start
  where start = 1 or octet_length(substr(word, start)) >= 3
  union
  select word from unnest(app.search_words(left(body, 5000))) as word
));

comment on function app.search_vector(text, text) is 'What app.search_query is looked for in: the words of title and body, and the ends of those of the title, down to three bytes; of numbers none.';

create function app.search_query(content text) returns tsquery language sql immutable strict parallel safe
return (
  select string_agg(
    '''' || word || case when octet_length(word) < 3 then '''' else ''':*' end, ' & ' order by word
  )::tsquery
  from unnest(app.search_words(content)) as word
);

comment on function app.search_query(text) is 'What finds texts that have every word of this one, as the beginning of a word of theirs; words of less than three bytes only as they are. Null where there is no word.';

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

comment on table app.nft_items is 'What items say of themselves (MetadataViews), asked in the collection of their owner.';
comment on column app.nft_items.token is 'As in app.nft_transfers.';
comment on column app.nft_items.nft_id is 'Id within the collection.';
comment on column app.nft_items.name is 'Display.name; like all that follows null where the item does not say it.';
comment on column app.nft_items.description is 'Display.description.';
comment on column app.nft_items.thumbnail is 'URI of Display.thumbnail; may be the image itself, as data:…';
comment on column app.nft_items.external_url is 'ExternalURL.url.';
comment on column app.nft_items.serial_number is 'Serial.number.';
comment on column app.nft_items.edition_name is 'Name of the first of Editions.';
comment on column app.nft_items.edition_number is 'Its number.';
comment on column app.nft_items.edition_max is 'How many there are at most.';
comment on column app.nft_items.rarity_score is 'Rarity.score.';
comment on column app.nft_items.rarity_description is 'Rarity.description.';
comment on column app.nft_items.traits is 'Traits: [{name, value, displayType, rarity}], values as text; null for values that are no text and no number.';
comment on column app.nft_items.search is 'Words of name and description, as app.search_vector has them.';
comment on column app.nft_items.status is 'As in app.ft_token_metadata; none: no collection of its owner shows it, or it has no Display.';
comment on column app.nft_items.failures is 'As in app.ft_token_metadata.';
comment on column app.nft_items.next_ask_at is 'As in app.ft_token_metadata.';
comment on column app.nft_items.asked_at is 'As in app.ft_token_metadata.';
comment on column app.nft_items.last_error_code is 'As in app.ft_token_metadata.';
comment on column app.nft_items.last_error is 'As in app.ft_token_metadata.';

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

comment on table app.contract_code_questions is 'Codes of contracts that events tell of, and how looking for them goes; what was found is in app.contract_code.';
comment on column app.contract_code_questions.code_hash is 'SHA3-256 of the code, 32 bytes.';
comment on column app.contract_code_questions.status is 'As in app.ft_token_metadata; none: replaced within its block, so that no state of the chain shows it.';
comment on column app.contract_code_questions.failures is 'As in app.ft_token_metadata.';
comment on column app.contract_code_questions.next_ask_at is 'As in app.ft_token_metadata.';
comment on column app.contract_code_questions.asked_at is 'As in app.ft_token_metadata.';
comment on column app.contract_code_questions.last_error_code is 'As in app.ft_token_metadata.';
comment on column app.contract_code_questions.last_error is 'As in app.ft_token_metadata.';

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

comment on table app.network_state is 'Epoch, stake and supply as the contracts FlowEpoch, FlowIDTableStaking and FlowToken have them now.';
comment on column app.network_state.subject is 'network: there is one row.';
comment on column app.network_state.height is 'Height of the block at which it was asked.';
comment on column app.network_state.chain_view is 'View of that block.';
comment on column app.network_state.block_time is 'Its time.';
comment on column app.network_state.epoch is 'Counter of the current epoch.';
comment on column app.network_state.epoch_phase is '0 staking auction, 1 setup, 2 commit.';
comment on column app.network_state.epoch_start_view is 'First view of the epoch; null where the contract does not know it, as on a fresh emulator.';
comment on column app.network_state.staking_end_view is 'Last view of the staking auction.';
comment on column app.network_state.epoch_end_view is 'Last view of the epoch.';
comment on column app.network_state.epoch_rewards is 'Rewards of the epoch in FLOW; 0 until they are computed.';
comment on column app.network_state.target_end_time is 'When the epoch is meant to end.';
comment on column app.network_state.is_staking_enabled is 'Whether stakes can be changed now.';
comment on column app.network_state.total_staked is 'FLOW staked by all nodes but access nodes, delegations included.';
comment on column app.network_state.staked_by_role is 'FLOW staked by role: 1 collection, 2 consensus, 3 execution, 4 verification, 5 access.';
comment on column app.network_state.minimum_stake_by_role is 'Least stake of a node in FLOW, by role.';
comment on column app.network_state.epoch_payout is 'FLOW paid out for the epoch.';
comment on column app.network_state.reward_cut is 'Part of delegators'' rewards that goes to the operator, 0 to 1.';
comment on column app.network_state.total_supply is 'FLOW in existence.';
comment on column app.network_state.node_count is 'Nodes in the staking table.';
comment on column app.network_state.staked_node_count is 'Nodes that take part in the epoch.';
comment on column app.network_state.status is 'As in app.ft_token_metadata.';
comment on column app.network_state.failures is 'As in app.ft_token_metadata.';
comment on column app.network_state.next_ask_at is 'As in app.ft_token_metadata.';
comment on column app.network_state.asked_at is 'As in app.ft_token_metadata.';
comment on column app.network_state.last_error_code is 'As in app.ft_token_metadata.';
comment on column app.network_state.last_error is 'As in app.ft_token_metadata.';

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

comment on table app.staking_node_info is 'Nodes in the staking table now, with what no event tells: their network address.';
comment on column app.staking_node_info.node_id is '64 hex digits.';
comment on column app.staking_node_info.role is '1 collection, 2 consensus, 3 execution, 4 verification, 5 access.';
comment on column app.staking_node_info.networking_address is 'Host and port of the node.';
comment on column app.staking_node_info.tokens_staked is 'FLOW of its operator that is staked; delegations are not in it, nor in those that follow.';
comment on column app.staking_node_info.tokens_committed is 'FLOW committed for the next epoch.';
comment on column app.staking_node_info.tokens_unstaking is 'FLOW that will be unstaked after the epoch.';
comment on column app.staking_node_info.tokens_unstaked is 'FLOW that can be withdrawn.';
comment on column app.staking_node_info.tokens_rewarded is 'FLOW of rewards that can be withdrawn.';
comment on column app.staking_node_info.tokens_requested_to_unstake is 'FLOW whose unstaking was asked for.';
comment on column app.staking_node_info.total_staked is 'FLOW staked, delegations included; null for nodes with more than 2,000 delegators, too many for a script to add up.';
comment on column app.staking_node_info.delegator_count is 'Delegators.';
comment on column app.staking_node_info.initial_weight is 'Weight with which it takes part.';
comment on column app.staking_node_info.is_participant is 'Takes part in the current epoch.';
comment on column app.staking_node_info.status is 'As in app.ft_token_metadata.';
comment on column app.staking_node_info.failures is 'As in app.ft_token_metadata.';
comment on column app.staking_node_info.next_ask_at is 'As in app.ft_token_metadata.';
comment on column app.staking_node_info.asked_at is 'As in app.ft_token_metadata.';
comment on column app.staking_node_info.last_error_code is 'As in app.ft_token_metadata.';
comment on column app.staking_node_info.last_error is 'As in app.ft_token_metadata.';

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

comment on table app.price_feeds is 'The source of prices, and how asking it goes.';
comment on column app.price_feeds.feed is 'default: that of PRICE_FEED_URL.';
comment on column app.price_feeds.price_count is 'Prices in its last answer.';
comment on column app.price_feeds.status is 'As in app.ft_token_metadata.';
comment on column app.price_feeds.failures is 'As in app.ft_token_metadata.';
comment on column app.price_feeds.next_ask_at is 'As in app.ft_token_metadata.';
comment on column app.price_feeds.asked_at is 'As in app.ft_token_metadata.';
comment on column app.price_feeds.last_error_code is 'As in app.ft_token_metadata.';
comment on column app.price_feeds.last_error is 'As in app.ft_token_metadata.';

create table app.prices (
  token text not null,
  currency text not null,
  price_time timestamptz not null,
  price numeric not null,
  symbol text,
  primary key (token, currency, price_time)
);

create index prices_symbol on app.prices (symbol, currency, price_time);

comment on table app.prices is 'Prices as the feed gave them; none where it gave none.';
comment on column app.prices.token is 'A.<address>.<name>, as in app.ft_transfers.';
comment on column app.prices.currency is 'Upper case, e.g. USD.';
comment on column app.prices.price_time is 'The time for which the feed gave it; else that of its answer.';
comment on column app.prices.price is 'Price of one whole token.';
comment on column app.prices.symbol is 'Symbol that the feed gave, upper case; null where it gave none.';

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

comment on table app.nft_holder_checks is 'Holders of items, and when the chain was last asked what they hold. All of them are asked, one after the other.';
comment on column app.nft_holder_checks.holder is 'Account, 0x and 16 hex digits.';
comment on column app.nft_holder_checks.token is 'As in app.nft_transfers.';
comment on column app.nft_holder_checks.checked_height is 'Height of the state that was looked at.';
comment on column app.nft_holder_checks.held_count is 'Items that the account held then, in collections in its storage; null where too many to list.';
comment on column app.nft_holder_checks.is_listed is 'False: it holds too many to list, so only the items that are known of it are looked up.';
comment on column app.nft_holder_checks.checked_up_to is 'The last id that was looked up, where they are not listed; null at the beginning.';
comment on column app.nft_holder_checks.status is 'As in app.ft_token_metadata; none: no collection in its storage, so that nothing can be said.';
comment on column app.nft_holder_checks.failures is 'As in app.ft_token_metadata.';
comment on column app.nft_holder_checks.next_ask_at is 'As in app.ft_token_metadata.';
comment on column app.nft_holder_checks.asked_at is 'As in app.ft_token_metadata.';
comment on column app.nft_holder_checks.last_error_code is 'As in app.ft_token_metadata.';
comment on column app.nft_holder_checks.last_error is 'As in app.ft_token_metadata.';

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

comment on table app.nft_ownership_corrections is 'Where the chain itself contradicts what events show of who owns an item. It counts as long as app.nft_ownership has no later event: app.nft_ownership stays what events say.';
comment on column app.nft_ownership_corrections.token is 'As in app.nft_transfers.';
comment on column app.nft_ownership_corrections.nft_id is 'Id within the collection.';
comment on column app.nft_ownership_corrections.owner is 'The account that has it; null: not known, only that not_in has not.';
comment on column app.nft_ownership_corrections.not_in is 'The account that has it by its events, and not in any collection in its storage: it may lie in another resource there. Null where owner is null: who was found to have it has it no more.';
comment on column app.nft_ownership_corrections.checked_height is 'Height of the state that was looked at; events above it win.';
comment on column app.nft_ownership_corrections.corrected_at is 'When it was found out.';

create table app.asking_walks (
  question text primary key,
  last_key text[],
  laps bigint not null default 0,
  lap_ended_at timestamptz
);

comment on table app.asking_walks is 'How far each search for keys that nobody has asked for yet has come in its tables; it begins anew when it has seen all.';
comment on column app.asking_walks.question is 'Name of the table of answers.';
comment on column app.asking_walks.last_key is 'The last key that was looked at; null at the beginning.';
comment on column app.asking_walks.laps is 'How often it has seen all.';
comment on column app.asking_walks.lap_ended_at is 'When it last had seen all.';

create view app.nft_owners as
select o.token, o.nft_id, o.nft_uuid, o.block_height, o.is_burned,
  case when c.checked_height >= o.block_height then c.owner else o.owner end as owner, c.checked_height >= o.block_height as is_corrected
from app.nft_ownership o left join app.nft_ownership_corrections c using (token, nft_id)
union all
select c.token, c.nft_id, null, c.checked_height, false, c.owner, true
from app.nft_ownership_corrections c
where not exists (select from app.nft_ownership o where o.token = c.token and o.nft_id = c.nft_id);

comment on view app.nft_owners is 'Who owns an item, by its events and by what the chain said when it was asked. To be looked at by token and nft_id; the items of an account are those of app.nft_ownership and of app.nft_ownership_corrections by owner, each with an index.';
comment on column app.nft_owners.owner is 'Account; null: nobody known.';
comment on column app.nft_owners.is_corrected is 'The chain contradicted the events; null and false: it did not, or was not asked since.';
