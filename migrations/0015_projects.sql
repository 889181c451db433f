-- Independent of blocks: rollbacks and rebuilds leave it unchanged, and flowfarm_reader has no access. An external
-- auth server can hold the users, so no foreign key refers to wallet_auth.users.

create schema projects;
comment on schema projects is 'Editor projects.';

create table projects.projects (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  slug text collate "C" not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and length(slug) <= 80),
  name text not null check (length(name) between 1 and 100),
  network text not null check (network in ('mainnet', 'testnet', 'emulator')),
  is_public boolean not null,
  active_file text,
  open_files text[] not null,
  folders text[] not null,
  version integer not null check (version > 0),
  file_count integer not null check (file_count >= 0),
  byte_count bigint not null check (byte_count >= 0),
  forked_from uuid,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp()
);
create index projects_user on projects.projects (user_id, updated_at desc, id desc);

comment on table projects.projects is 'Projects, without file contents.';
comment on column projects.projects.user_id is 'Owner: user id (sub) at the auth server.';
comment on column projects.projects.slug is 'Permanent name in shared links. Not secret: private projects are readable by their owner only.';
comment on column projects.projects.name is 'Display name.';
comment on column projects.projects.network is 'mainnet, testnet or emulator: where scripts run.';
comment on column projects.projects.is_public is 'Whether anyone with the link can read and fork it.';
comment on column projects.projects.active_file is 'File shown in the editor, or null.';
comment on column projects.projects.open_files is 'Open files in tab order.';
comment on column projects.projects.folders is 'Folders, including empty ones.';
comment on column projects.projects.version is 'Incremented by each save with changes. A save names the version that it is based on.';
comment on column projects.projects.byte_count is 'Total size of the files in UTF-8 bytes.';
comment on column projects.projects.forked_from is 'Source of a fork, possibly deleted or private; null for originals.';

create table projects.files (
  project_id uuid not null references projects.projects (id) on delete cascade,
  path_key text collate "C" not null check (octet_length(path_key) <= 1200),
  path text collate "C" not null check (octet_length(path) between 1 and 400),
  content text not null,
  hash bytea not null check (octet_length(hash) = 32),
  byte_count integer not null check (byte_count >= 0),
  version integer not null,
  primary key (project_id, path_key)
);

comment on table projects.files is 'Project files.';
comment on column projects.files.path_key is 'Normalized path (case-folded, for example), unique in the project.';
comment on column projects.files.path is 'Path from the project root, without a leading slash.';
comment on column projects.files.hash is 'SHA-256 of the content (UTF-8), to detect changes.';
comment on column projects.files.byte_count is 'Size in UTF-8 bytes.';
comment on column projects.files.version is 'Project version that last changed the file.';

create table projects.saves (
  user_id uuid not null,
  save_id uuid not null,
  project_id uuid not null,
  version integer not null,
  digest bytea not null check (octet_length(digest) = 32),
  saved_at timestamptz not null,
  primary key (user_id, save_id)
);
create index saves_end on projects.saves (saved_at);

comment on table projects.saves is 'Saves of the last day, so that a repeated request is not applied twice.';
comment on column projects.saves.save_id is 'Id chosen by the client.';
comment on column projects.saves.project_id is 'Saved project, possibly deleted.';
comment on column projects.saves.version is 'Version created by the save.';
comment on column projects.saves.digest is 'SHA-256 of the request. A different request needs another save_id.';

-- Values over 2 KB are compressed. lz4 takes a fifth of the time of pglz, but some servers are built without it.
do $$
begin
  alter table projects.files alter column content set compression lz4;
exception when feature_not_supported then
  raise notice 'this server has no lz4: projects.files is compressed by pglz';
end
$$;
