-- Projects of the editor: what people write, and share. Nothing here has to do with blocks: neither a rollback nor a rebuild touches it, and
-- the role that reads for strangers does not see it. Users may be kept by an auth server elsewhere, so nothing refers to wallet_auth.users.

create schema projects;
comment on schema projects is 'Projects that people keep for the editor.';

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

comment on table projects.projects is 'Projects, without what is in their files.';
comment on column projects.projects.id is 'Names the project towards its owner.';
comment on column projects.projects.user_id is 'Whose it is, as the auth server names them (sub).';
comment on column projects.projects.slug is 'Names it in links that are shared. Never changes. It is no secret: a private project is for its owner alone, whoever knows the slug.';
comment on column projects.projects.name is 'What its owner calls it.';
comment on column projects.projects.network is 'mainnet, testnet or emulator: where its scripts run.';
comment on column projects.projects.is_public is 'Whether everybody who has the slug may read it and make a copy.';
comment on column projects.projects.active_file is 'The file that is shown; null: none.';
comment on column projects.projects.open_files is 'Files that are open, in the order of their tabs.';
comment on column projects.projects.folders is 'Folders that there are even without files in them.';
comment on column projects.projects.version is 'Counts the saves that changed something. A save names the version that it is made from.';
comment on column projects.projects.file_count is 'How many files it has.';
comment on column projects.projects.byte_count is 'Bytes of all of them together (UTF-8).';
comment on column projects.projects.forked_from is 'The project that it is a copy of, which may be gone or private by now; null: of none.';
comment on column projects.projects.created_at is 'When it was made.';
comment on column projects.projects.updated_at is 'When a save last changed something.';

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

comment on table projects.files is 'Files of projects.';
comment on column projects.files.project_id is 'Of which project.';
comment on column projects.files.path_key is 'The path without what hardly anybody sees, such as upper case: a project has no two files with the same.';
comment on column projects.files.path is 'The path as it is written, from the top of the project, without a slash in front.';
comment on column projects.files.content is 'Its text.';
comment on column projects.files.hash is 'SHA-256 of the text (UTF-8): tells a save what has changed.';
comment on column projects.files.byte_count is 'Bytes of the text (UTF-8).';
comment on column projects.files.version is 'Version of the project that last changed the file.';

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

comment on table projects.saves is 'Saves of the last day, so that one whose answer was lost may be sent again and is not done twice.';
comment on column projects.saves.user_id is 'Whose save.';
comment on column projects.saves.save_id is 'As the client names it.';
comment on column projects.saves.project_id is 'The project that was saved; it may be gone.';
comment on column projects.saves.version is 'The version that the save made.';
comment on column projects.saves.digest is 'SHA-256 of what was asked for: another save needs another name.';
comment on column projects.saves.saved_at is 'When.';

-- Rows over 2 KB are compressed. lz4 takes a fifth of the time of the other method, but not every server is built with it.
do $$
begin
  alter table projects.files alter column content set compression lz4;
exception when feature_not_supported then
  raise notice 'this server has no lz4: projects.files is compressed by pglz';
end
$$;
