-- Workers of WORKERS_DIR. Each has a schema of its own, named like the worker.

create table app.own_workers (
  name text primary key check (name ~ '^own_[a-z][a-z0-9_]{0,39}$'),
  declaration jsonb not null,
  code_hash text not null,
  start_height bigint not null,
  replaces text,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

comment on table app.own_workers is 'Workers of WORKERS_DIR: what they index, and into which tables.';
comment on column app.own_workers.name is 'Name of the worker and of the schema of its tables.';
comment on column app.own_workers.declaration is 'Contract, events, version, tables and folds, as declared in worker.ts.';
comment on column app.own_workers.code_hash is 'SHA-256 of its files, hex. Other code under the same version is refused in production.';
comment on column app.own_workers.start_height is 'First height that it derives.';
comment on column app.own_workers.replaces is 'The worker whose tables it replaces when it has caught up. Null: its tables are served.';
comment on column app.own_workers.error is 'Why the current files could not be loaded. The last good declaration stays in use.';
