-- Repositories of projects: who may use which installation of the GitHub App, what a project is connected with, and how it was deployed. None of it
-- is derived from the chain: a rollback or a rebuild leaves it alone. Tokens and private keys are in none of these tables.

create schema editor;
comment on schema editor is 'Repositories that projects of the editor are connected with.';

create table editor.install_states (
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  browser_hash bytea not null check (octet_length(browser_hash) = 32),
  user_id uuid not null,
  project_id uuid,
  expires_at timestamptz not null
);
create index install_states_end on editor.install_states (expires_at);

comment on table editor.install_states is 'People who went to GitHub to install the App or to show what is theirs, and have not come back.';
comment on column editor.install_states.state_hash is 'SHA-256 of the state that goes there and back.';
comment on column editor.install_states.browser_hash is 'SHA-256 of the cookie of the browser that began: none other can end it.';
comment on column editor.install_states.user_id is 'Who began.';
comment on column editor.install_states.project_id is 'The project that they began at; null: none.';
comment on column editor.install_states.expires_at is 'From when on it is no longer good.';

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

comment on table editor.installations is 'Installations of the GitHub App that people have shown to be able to use, by signing in at GitHub.';
comment on column editor.installations.user_id is 'Who has shown it.';
comment on column editor.installations.installation_id is 'The installation, as GitHub numbers it.';
comment on column editor.installations.github_user_id is 'Who they are at GitHub. What they may do with a repository is asked there each time.';
comment on column editor.installations.github_login is 'Their name at GitHub.';
comment on column editor.installations.account_id is 'The account at GitHub that the App is installed for.';
comment on column editor.installations.account_login is 'The name of that account: owner of its repositories.';
comment on column editor.installations.account_type is 'User or Organization.';
comment on column editor.installations.repository_ids is 'Repositories of it that they could see when it was last checked.';
comment on column editor.installations.is_suspended is 'Whether GitHub has said that the installation is suspended.';
comment on column editor.installations.created_at is 'When they showed it first.';
comment on column editor.installations.checked_at is 'When they showed it last.';

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

comment on table editor.connections is 'The repository that a project is connected with. A project has one; a repository may have several projects.';
comment on column editor.connections.id is 'Names it where the workflow of the repository reports.';
comment on column editor.connections.project_id is 'The project.';
comment on column editor.connections.user_id is 'Its owner, who has connected it.';
comment on column editor.connections.installation_id is 'The installation by which the repository is reached.';
comment on column editor.connections.repository_id is 'The repository, as GitHub numbers it: stays when it is renamed.';
comment on column editor.connections.owner is 'Owner of the repository.';
comment on column editor.connections.repo is 'Name of the repository.';
comment on column editor.connections.path is 'Folder of the repository that the project is kept in; empty: its root.';
comment on column editor.connections.branch is 'The branch that is worked on.';
comment on column editor.connections.network is 'Network that this branch is deployed to, where no environment says otherwise.';
comment on column editor.connections.workflow_path is 'File of the workflow that deploys; null: there is none yet.';
comment on column editor.connections.callback_salt is 'Of the key by which the workflow signs its reports; that key is derived from it and a variable of the service, and kept nowhere.';
comment on column editor.connections.last_commit_sha is 'Newest commit of the branch that is known.';
comment on column editor.connections.last_pushed_at is 'When it was pushed, as GitHub says; an older push changes nothing.';
comment on column editor.connections.off_reason is 'Why it cannot be used any more; null: it can.';
comment on column editor.connections.created_at is 'When it was connected.';
comment on column editor.connections.changed_at is 'When it last changed.';

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

comment on table editor.environments is 'Where a project is deployed to: each has a branch of the repository and an account of the chain.';
comment on column editor.environments.connection_id is 'Of which connection.';
comment on column editor.environments.name is 'Its name; in upper case, with _ for -, it ends the names of its secrets.';
comment on column editor.environments.branch is 'What is pushed to this branch is deployed.';
comment on column editor.environments.network is 'To which network.';
comment on column editor.environments.flow_address is 'The account that contracts are deployed to; null: not told yet.';
comment on column editor.environments.key_index is 'Which of its keys signs; null: not told yet.';
comment on column editor.environments.has_secrets is 'Whether the secrets were put into the repository. They are kept there alone.';
comment on column editor.environments.is_default is 'The one that a page shows first.';
comment on column editor.environments.created_at is 'When it was made.';
comment on column editor.environments.changed_at is 'When it last changed.';

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

comment on table editor.deployments is 'Runs of the workflow that deploys: a row for each, which never goes back to an earlier stage of the same attempt.';
comment on column editor.deployments.id is 'Names it.';
comment on column editor.deployments.connection_id is 'Of which connection.';
comment on column editor.deployments.run_id is 'The run, as GitHub numbers it.';
comment on column editor.deployments.run_attempt is 'How many times it was started.';
comment on column editor.deployments.stage is '1: it waits; 2: it runs; 3: it has ended.';
comment on column editor.deployments.conclusion is 'How it ended, in the words of GitHub: success, failure, cancelled, timed_out …';
comment on column editor.deployments.commit_sha is 'What is deployed.';
comment on column editor.deployments.branch is 'From which branch.';
comment on column editor.deployments.network is 'To which network.';
comment on column editor.deployments.environment is 'To which environment; null: that of the connection itself.';
comment on column editor.deployments.trigger is 'What began it: push or workflow_dispatch.';
comment on column editor.deployments.logs_url is 'Page of the run at GitHub.';
comment on column editor.deployments.message is 'First line of the message of the commit.';
comment on column editor.deployments.author is 'Who made the commit.';
comment on column editor.deployments.started_at is 'When this attempt began.';
comment on column editor.deployments.ended_at is 'When this attempt ended.';
comment on column editor.deployments.created_at is 'When the run was first heard of.';
comment on column editor.deployments.changed_at is 'When the row last changed.';

create table editor.deliveries (
  digest bytea primary key check (octet_length(digest) = 32),
  source text not null,
  received_at timestamptz not null default now(),
  kept_until timestamptz not null
);
create index deliveries_end on editor.deliveries (kept_until);

comment on table editor.deliveries is 'What GitHub and workflows have sent, so that nothing counts twice.';
comment on column editor.deliveries.digest is 'SHA-256 of what their signature is of: nobody can change that and have it count as another.';
comment on column editor.deliveries.source is 'github or workflow.';
comment on column editor.deliveries.received_at is 'When it came.';
comment on column editor.deliveries.kept_until is 'After that it is forgotten: by then it is refused for its age, or changes nothing.';
