-- Dashboards of the query service. Independent of blocks; flowfarm_reader has no access.

create table app.dashboards (
  id text primary key,
  owner text not null,
  name text not null,
  refresh_seconds integer not null check (refresh_seconds between 30 and 86400),
  tiles jsonb not null,
  link text unique,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index dashboards_owner on app.dashboards (owner, name, id);

comment on table app.dashboards is 'Dashboards of saved queries.';
comment on column app.dashboards.id is '16 hex digits.';
comment on column app.dashboards.owner is 'As in app.saved_queries.';
comment on column app.dashboards.refresh_seconds is 'Time for which results of its tiles are cached.';
comment on column app.dashboards.tiles is 'Saved query, parameters, title, view and width of each tile.';
comment on column app.dashboards.link is 'Secret of the public link, 32 hex digits; null if it is not published.';
