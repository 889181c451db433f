-- Not derived from the chain: rollbacks and rebuilds leave it unchanged. No table contains tokens or private keys.

create schema editor;
comment on schema editor is 'GitHub repositories connected to editor projects, and their deployments.';

create table editor.install_states (
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  user_id uuid not null,
  project_id uuid,
  expires_at timestamptz not null
);
create index install_states_end on editor.install_states (expires_at);

comment on table editor.install_states is 'Pending installations or authorizations of the GitHub App.';
comment on column editor.install_states.state_hash is 'SHA-256 of the state parameter.';
comment on column editor.install_states.browser_hash is 'SHA-256 of the cookie of the initiating browser, which must complete the flow.';
comment on column editor.install_states.project_id is 'Project from which it was started, or null.';

create table editor.installations (
  user_id uuid not null,
  installation_id bigint not null check (installation_id > 0),
  github_user_id bigint not null check (github_user_id > 0),
  github_login text not null,
  account_id bigint not null check (account_id > 0),
  account_login text not null,
  account_type text not null,
  repository_ids bigint[] not null,
  is_suspended boolean not null default false,
  created_at timestamptz not null default now(),
  checked_at timestamptz not null default now(),
  primary key (user_id, installation_id)
);
create index installations_installation on editor.installations (installation_id);

comment on table editor.installations is 'GitHub App installations that users proved access to by signing in to GitHub.';
comment on column editor.installations.installation_id is 'Installation id at GitHub.';
comment on column editor.installations.github_user_id is 'GitHub user. Repository permissions are checked at GitHub on each use.';
comment on column editor.installations.github_login is 'GitHub login of the user.';
comment on column editor.installations.account_id is 'GitHub account that has the App installed.';
comment on column editor.installations.account_login is 'Login of that account, the owner of its repositories.';
comment on column editor.installations.account_type is 'User or Organization.';
comment on column editor.installations.repository_ids is 'Repositories visible to the user at the last check.';
comment on column editor.installations.is_suspended is 'Whether GitHub reported the installation as suspended.';
comment on column editor.installations.checked_at is 'Last proof of access.';

create table editor.connections (
  id uuid primary key default gen_random_uuid(),
  project_id uuid not null unique,
  user_id uuid not null,
  installation_id bigint not null check (installation_id > 0),
  repository_id bigint not null check (repository_id > 0),
  owner text not null,
  repo text not null,
  path text not null default '',
  branch text not null,
  network text not null check (network in ('mainnet', 'testnet', 'emulator')),
  workflow_path text,
  callback_salt bytea not null check (octet_length(callback_salt) = 32),
  last_commit_sha text,
  last_pushed_at timestamptz,
  off_reason text check (off_reason in ('installation-deleted', 'installation-suspended', 'repository-removed', 'repository-deleted')),
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now()
);
create index connections_repository on editor.connections (repository_id);
create index connections_installation on editor.connections (installation_id);
create index connections_user on editor.connections (user_id);

comment on table editor.connections is 'Repository connected to a project. A repository can serve several projects.';
comment on column editor.connections.id is 'Connection id, used in the callback of the workflow.';
comment on column editor.connections.user_id is 'Owner of the project.';
comment on column editor.connections.installation_id is 'Installation that gives access to the repository.';
comment on column editor.connections.repository_id is 'Repository id at GitHub, unchanged by renames.';
comment on column editor.connections.owner is 'Repository owner.';
comment on column editor.connections.repo is 'Repository name.';
comment on column editor.connections.path is 'Folder of the project in the repository; empty for its root.';
comment on column editor.connections.branch is 'Working branch.';
comment on column editor.connections.network is 'Network that this branch is deployed to, unless an environment sets another.';
comment on column editor.connections.workflow_path is 'Deployment workflow file, or null.';
comment on column editor.connections.callback_salt is 'Salt of the workflow''s signing key, which is derived from it and a setting of the service and is not stored.';
comment on column editor.connections.last_commit_sha is 'Newest known commit of the branch.';
comment on column editor.connections.last_pushed_at is 'Time of that push from GitHub. Older pushes are ignored.';
comment on column editor.connections.off_reason is 'Why the connection is unusable; null if usable.';

create table editor.environments (
  connection_id uuid not null references editor.connections (id) on delete cascade,
  name text not null check (name ~ '^[A-Za-z][A-Za-z0-9_-]{0,39}$'),
  branch text not null,
  network text not null check (network in ('mainnet', 'testnet', 'emulator')),
  flow_address text check (flow_address ~ '^0x[0-9a-f]{16}$'),
  key_index integer check (key_index >= 0),
  has_secrets boolean not null default false,
  is_default boolean not null default false,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  primary key (connection_id, name)
);
create unique index environments_branch on editor.environments (connection_id, branch);
create unique index environments_secrets on editor.environments (connection_id, upper(replace(name, '-', '_')));
create unique index environments_default on editor.environments (connection_id) where is_default;

comment on table editor.environments is 'Deployment targets of a project: a branch of the repository and a Flow account.';
comment on column editor.environments.name is 'Name; in upper case, with _ for -, the suffix of its secrets.';
comment on column editor.environments.branch is 'Branch whose pushes are deployed.';
comment on column editor.environments.flow_address is 'Account that contracts are deployed to; null if not set.';
comment on column editor.environments.key_index is 'Key index of the signing key; null if not set.';
comment on column editor.environments.has_secrets is 'Whether the secrets are in the repository, the only place where they are stored.';
comment on column editor.environments.is_default is 'Whether it is the default selection.';

create table editor.deployments (
  id uuid primary key default gen_random_uuid(),
  connection_id uuid not null references editor.connections (id) on delete cascade,
  run_id bigint not null check (run_id > 0),
  run_attempt integer not null check (run_attempt > 0),
  stage smallint not null check (stage in (1, 2, 3)),
  conclusion text,
  commit_sha text not null,
  branch text not null,
  network text not null,
  environment text,
  trigger text not null,
  logs_url text,
  message text,
  author text,
  started_at timestamptz,
  ended_at timestamptz,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  unique (connection_id, run_id),
  check ((stage = 3) = (conclusion is not null))
);
create index deployments_newest on editor.deployments (connection_id, created_at desc, id desc);

comment on table editor.deployments is 'Runs of deployment workflows. The stage of an attempt never decreases.';
comment on column editor.deployments.run_id is 'Workflow run id at GitHub.';
comment on column editor.deployments.run_attempt is 'Number of the attempt.';
comment on column editor.deployments.stage is '1 queued, 2 running, 3 completed.';
comment on column editor.deployments.conclusion is 'GitHub''s conclusion: success, failure, cancelled, timed_out …';
comment on column editor.deployments.commit_sha is 'Deployed commit.';
comment on column editor.deployments.environment is 'Environment; null for that of the connection.';
comment on column editor.deployments.trigger is 'push or workflow_dispatch.';
comment on column editor.deployments.logs_url is 'Page of the run at GitHub.';
comment on column editor.deployments.message is 'First line of the commit message.';
comment on column editor.deployments.author is 'Commit author.';
comment on column editor.deployments.started_at is 'Start of this attempt.';
comment on column editor.deployments.ended_at is 'End of this attempt.';

create table editor.deliveries (
  digest bytea primary key check (octet_length(digest) = 32),
  source text not null,
  received_at timestamptz not null default now(),
  kept_until timestamptz not null
);
create index deliveries_end on editor.deliveries (kept_until);

comment on table editor.deliveries is 'Received webhooks of GitHub and callbacks of workflows, for deduplication.';
comment on column editor.deliveries.digest is 'SHA-256 of the signed content.';
comment on column editor.deliveries.source is 'github or workflow.';
comment on column editor.deliveries.kept_until is 'Time of deletion. Later copies are rejected by age or have no effect.';
