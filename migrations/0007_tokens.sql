-- Catalogues of tokens and collections, folded from app.ft_transfers and app.nft_transfers. What they are called and look
-- like is not in events: the chain is asked for it, and the answers are in tables of their own, by the same `token`.

create table app.ft_tokens (
  token text primary key,
  first_height bigint not null
);

create index ft_tokens_newest on app.ft_tokens (first_height desc, token);

comment on table app.ft_tokens is 'Fungible tokens that were seen to move, fees aside.';
comment on column app.ft_tokens.token is 'As in app.ft_transfers.';
comment on column app.ft_tokens.first_height is 'Height of the block of its first transfer, of those that are indexed.';

create table app.ft_token_totals (
  token text primary key,
  transfer_count bigint not null,
  minted numeric not null,
  burned numeric not null
);

create index ft_token_totals_busiest on app.ft_token_totals (transfer_count desc, token);

comment on table app.ft_token_totals is 'What adds up over the transfers of each fungible token that are indexed, fees aside.';
comment on column app.ft_token_totals.token is 'As in app.ft_transfers.';
comment on column app.ft_token_totals.transfer_count is 'Transfers of every type but fees.';
comment on column app.ft_token_totals.minted is 'Sum of the transfers of type mint, in whole tokens.';
comment on column app.ft_token_totals.burned is 'Sum of the transfers of type burn, in whole tokens. What was minted less what was burned is the supply only where all of history is indexed, and but for what its contract made or destroyed without a word.';

create table app.nft_collections (
  token text primary key,
  first_height bigint not null
);

create index nft_collections_newest on app.nft_collections (first_height desc, token);

comment on table app.nft_collections is 'Collections of which an item was seen to move.';
comment on column app.nft_collections.token is 'As in app.nft_transfers.';
comment on column app.nft_collections.first_height is 'Height of the block of its first transfer, of those that are indexed.';

create table app.nft_collection_totals (
  token text primary key,
  transfer_count bigint not null,
  mint_count bigint not null,
  burn_count bigint not null
);

create index nft_collection_totals_busiest on app.nft_collection_totals (transfer_count desc, token);

comment on table app.nft_collection_totals is 'What adds up over the transfers of each collection that are indexed.';
comment on column app.nft_collection_totals.token is 'As in app.nft_transfers.';
comment on column app.nft_collection_totals.transfer_count is 'Transfers of every type.';
comment on column app.nft_collection_totals.mint_count is 'Transfers of type mint.';
comment on column app.nft_collection_totals.burn_count is 'Transfers of type burn of which the collection is known.';

-- Transfers of an account in one token: of an account or a token with millions of others they may be few. The key is a
-- hash of both names, half as wide as they are.

create index ft_transfers_from_token on app.ft_transfers (hashtextextended(from_address || token, 0), block_height)
  where from_address is not null and transfer_type <> 'fee';
create index ft_transfers_to_token on app.ft_transfers (hashtextextended(to_address || token, 0), block_height)
  where to_address is not null and transfer_type <> 'fee';

create index nft_transfers_from_token on app.nft_transfers (hashtextextended(from_address || token, 0), block_height)
  where from_address is not null and token is not null;
create index nft_transfers_to_token on app.nft_transfers (hashtextextended(to_address || token, 0), block_height)
  where to_address is not null and token is not null;
