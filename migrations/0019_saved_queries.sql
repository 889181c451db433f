-- Saved statements of the query service. Independent of blocks; flowfarm_reader has no access.

create table app.saved_queries (
  id text primary key,
  owner text not null,
  name text not null,
  target text not null,
  question text not null,
  sql text not null,
  parameters jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (owner, name)
);

comment on table app.saved_queries is 'Statements that users of the query service saved.';
comment on column app.saved_queries.id is '16 hex digits.';
comment on column app.saved_queries.owner is 'SHA-256 of API_TOKEN, hex, or "everybody" without one.';
comment on column app.saved_queries.target is '"indexer" or "evm".';
comment on column app.saved_queries.question is 'Question that it answers; may be empty.';
comment on column app.saved_queries.parameters is 'Name, type and default value of each {{name}} in the statement.';
