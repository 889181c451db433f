create table app.evm_token_metadata (
  token text primary key,
  name text,
  symbol text,
  decimals smallint,
  total_supply numeric,
  standard smallint,
  search tsvector generated always as (app.search_vector(name, symbol)) stored,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text
);

create index evm_token_metadata_due on app.evm_token_metadata (next_ask_at);
create index evm_token_metadata_failed on app.evm_token_metadata (next_ask_at) where status = 'failed';
create index evm_token_metadata_search on app.evm_token_metadata using gin (search) where status <> 'new';

comment on table app.evm_token_metadata is 'EVM token metadata that contracts return. Null values are not returned, or invalid.';
comment on column app.evm_token_metadata.token is 'As in app.evm_tokens.';
comment on column app.evm_token_metadata.name is 'name().';
comment on column app.evm_token_metadata.symbol is 'symbol().';
comment on column app.evm_token_metadata.decimals is 'decimals(), at most 77.';
comment on column app.evm_token_metadata.total_supply is 'totalSupply() at asked_at, in the smallest unit.';
comment on column app.evm_token_metadata.standard is 'ERC number: 721 or 1155 by supportsInterface(), else 20 if the contract has decimals and a supply; null if unknown.';
comment on column app.evm_token_metadata.search is 'app.search_vector of name and symbol.';
comment on column app.evm_token_metadata.status is 'As in app.ft_token_metadata.';

create table app.evm_item_metadata (
  token text not null,
  standard smallint not null,
  token_id numeric not null,
  token_uri text,
  status text not null default 'new' check (status in ('new', 'answered', 'none', 'failed')),
  failures integer not null default 0,
  next_ask_at timestamptz not null default now(),
  asked_at timestamptz,
  last_error_code text,
  last_error text,
  primary key (token, standard, token_id)
);

create index evm_item_metadata_due on app.evm_item_metadata (next_ask_at);
create index evm_item_metadata_failed on app.evm_item_metadata (next_ask_at) where status = 'failed';

comment on table app.evm_item_metadata is 'Metadata URIs of ERC-721 items and ERC-1155 token types.';
comment on column app.evm_item_metadata.token is 'As in app.evm_token_items.';
comment on column app.evm_item_metadata.standard is 'As in app.evm_token_items.';
comment on column app.evm_item_metadata.token_id is 'As in app.evm_token_items.';
comment on column app.evm_item_metadata.token_uri is 'tokenURI() or uri(), with the id in place of {id}, at most 8,192 bytes. Can be a data: URI.';
comment on column app.evm_item_metadata.status is 'As in app.ft_token_metadata; none: the contract returns no URI.';

do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'flowfarm_reader') then
    grant select on app.evm_token_metadata, app.evm_item_metadata to flowfarm_reader;
  end if;
end
$$;
