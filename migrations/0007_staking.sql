-- Not partitioned: an epoch ends once a week with some ten thousand rows, and one index finds all rows of a node or
-- delegator.

create table app.staking_events (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  event_type text not null,
  node_id text,
  delegator_id integer,
  amount numeric,
  from_bucket text,
  to_bucket text,
  moved numeric,
  epoch bigint,
  role smallint,
  networking_address text,
  weight smallint,
  account text,
  primary key (block_height, tx_index, event_index)
);

create index staking_events_staker
  on app.staking_events (node_id, delegator_id, block_height, tx_index, event_index) where node_id is not null;
create index staking_events_node
  on app.staking_events (node_id, block_height, tx_index, event_index) where node_id is not null;
create index staking_events_type on app.staking_events (event_type, block_height, tx_index, event_index);
create index staking_events_rewards on app.staking_events (block_height, tx_index, event_index)
  where event_type in ('RewardsPaid', 'DelegatorRewardsPaid');
create index staking_events_staked on app.staking_events (block_height, tx_index, event_index)
  where event_type in ('TokensStaked', 'DelegatorTokensStaked');
create index staking_events_created on app.staking_events (node_id, delegator_id)
  where event_type in ('NewNodeCreated', 'NewDelegatorCreated');
create index staking_events_account on app.staking_events (account, node_id, delegator_id) where account is not null;
create index staking_events_told on app.staking_events (node_id, block_height, tx_index, event_index)
  where event_type in ('NetworkingAddressUpdated', 'NodeWeightChanged', 'NodeRemovedAndRefunded');

comment on table app.staking_events is 'Events of FlowIDTableStaking about nodes, delegators and their rules. Events about epochs are in app.epoch_events.';
comment on column app.staking_events.event_type is 'Name of the event, e.g. TokensCommitted or DelegatorRewardsPaid.';
comment on column app.staking_events.node_id is 'Node id, 64 hex digits; null for rules.';
comment on column app.staking_events.delegator_id is 'Delegator id within the node, from 1; 0 for the node itself, null for rules.';
comment on column app.staking_events.amount is 'FLOW from the event, 8 decimals; for rules their new value.';
comment on column app.staking_events.from_bucket is 'Source of the tokens: committed, staked, unstaking, unstaked, rewarded, unknown (unstaked or rewarded). Null: outside the contract, or no tokens moved.';
comment on column app.staking_events.to_bucket is 'Destination of the tokens, as from_bucket.';
comment on column app.staking_events.moved is 'FLOW moved, if it differs from amount: the committed tokens of a removed node, or the rest after a cancelled unstaking request.';
comment on column app.staking_events.epoch is 'Rewarded epoch; null for other events and before November 2023.';
comment on column app.staking_events.role is 'Role of a new node: 1 collection, 2 consensus, 3 execution, 4 verification, 5 access.';
comment on column app.staking_events.networking_address is 'New address of a node: host and port.';
comment on column app.staking_events.weight is 'New initial weight of a node: 0 to 100.';
comment on column app.staking_events.account is 'First authorizer of the registration of a node or delegator, 0x and 16 hex digits; null for other events.';

create table app.epoch_events (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  event_type text not null,
  epoch bigint,
  block_time timestamptz not null,
  first_view bigint,
  staking_end_view bigint,
  final_view bigint,
  target_duration bigint,
  target_end_time timestamptz,
  total_staked numeric,
  total_supply numeric,
  total_rewards numeric,
  from_fees numeric,
  minted numeric,
  fees_burned numeric,
  node_count integer,
  primary key (block_height, tx_index, event_index)
);

create index epoch_events_type on app.epoch_events (event_type, block_height, tx_index, event_index);
create index epoch_events_epoch on app.epoch_events (epoch, event_type, block_height, tx_index, event_index);

comment on table app.epoch_events is 'Events of FlowEpoch, and of FlowIDTableStaking about epochs.';
comment on column app.epoch_events.event_type is 'EpochSetup, EpochCommit, EpochRecover (all three about a future epoch), NewEpoch (tokens moved), EpochStart, EpochTotalRewardsPaid.';
comment on column app.epoch_events.epoch is 'Epoch counter; null for NewEpoch and EpochTotalRewardsPaid before November 2023.';
comment on column app.epoch_events.first_view is 'First view of the epoch.';
comment on column app.epoch_events.staking_end_view is 'Last view of the staking auction.';
comment on column app.epoch_events.final_view is 'Last view of the epoch.';
comment on column app.epoch_events.target_duration is 'Target duration in seconds.';
comment on column app.epoch_events.target_end_time is 'Target end time.';
comment on column app.epoch_events.total_staked is 'FLOW staked by nodes and delegators, without access nodes.';
comment on column app.epoch_events.total_supply is 'FLOW supply, including the rewards of the previous epoch.';
comment on column app.epoch_events.total_rewards is 'FLOW rewards planned for the epoch; in EpochTotalRewardsPaid, paid.';
comment on column app.epoch_events.from_fees is 'FLOW rewards funded by transaction fees.';
comment on column app.epoch_events.minted is 'FLOW rewards minted.';
comment on column app.epoch_events.fees_burned is 'FLOW fees burned.';
comment on column app.epoch_events.node_count is 'Participating nodes; of EpochSetup and EpochRecover.';

create table app.epoch_nodes (
  block_height bigint not null,
  tx_index integer not null,
  event_index integer not null,
  node_id text not null,
  epoch bigint not null,
  role smallint not null,
  networking_address text not null,
  weight smallint not null,
  tokens_committed numeric not null,
  tokens_staked numeric not null,
  tokens_unstaking numeric not null,
  tokens_unstaked numeric not null,
  tokens_rewarded numeric not null,
  tokens_requested_to_unstake numeric not null,
  delegator_count integer not null,
  primary key (block_height, tx_index, event_index, node_id)
);

create index epoch_nodes_node on app.epoch_nodes (node_id, block_height, tx_index, event_index);
create index epoch_nodes_epoch on app.epoch_nodes (epoch, block_height, tokens_staked, node_id);

comment on table app.epoch_nodes is 'Nodes of each epoch with their balances in the previous epoch, from EpochSetup or EpochRecover. app.epoch_stats names the event that applies.';
comment on column app.epoch_nodes.node_id is 'Node id, 64 hex digits.';
comment on column app.epoch_nodes.epoch is 'Epoch counter.';
comment on column app.epoch_nodes.role is '1 collection, 2 consensus, 3 execution, 4 verification, 5 access.';
comment on column app.epoch_nodes.networking_address is 'Host and port.';
comment on column app.epoch_nodes.weight is 'Initial weight, 0 to 100.';
comment on column app.epoch_nodes.tokens_committed is 'FLOW of the operator to be staked when the epoch starts.';
comment on column app.epoch_nodes.tokens_staked is 'FLOW of the operator staked in the previous epoch.';
comment on column app.epoch_nodes.tokens_unstaking is 'FLOW released when the epoch starts.';
comment on column app.epoch_nodes.tokens_unstaked is 'Withdrawable FLOW that is not staked.';
comment on column app.epoch_nodes.tokens_rewarded is 'Withdrawable FLOW rewards.';
comment on column app.epoch_nodes.tokens_requested_to_unstake is 'Staked FLOW not to be staked in the epoch.';
comment on column app.epoch_nodes.delegator_count is 'Delegators registered so far.';

create table app.staking_sums (
  node_id text not null,
  delegator_id integer not null,
  committed numeric not null,
  staked numeric not null,
  unstaking numeric not null,
  unstaked numeric not null,
  rewarded numeric not null,
  event_count bigint not null,
  unknown_count bigint not null,
  primary key (node_id, delegator_id)
);

comment on table app.staking_sums is 'Sums of staking events by node and delegator.';
comment on column app.staking_sums.node_id is 'Node id, 64 hex digits.';
comment on column app.staking_sums.delegator_id is 'Delegator id; 0 for the node itself.';
comment on column app.staking_sums.committed is 'FLOW moved in minus out of the committed bucket.';
comment on column app.staking_sums.staked is 'The same for the staked bucket.';
comment on column app.staking_sums.unstaking is 'The same for the unstaking bucket.';
comment on column app.staking_sums.unstaked is 'The same for the unstaked bucket.';
comment on column app.staking_sums.rewarded is 'The same for the rewarded bucket.';
comment on column app.staking_sums.event_count is 'Events, at least 1.';
comment on column app.staking_sums.unknown_count is 'Events that moved tokens from an unknown bucket.';

create table app.staking_delegators (
  node_id text not null,
  delegator_id integer not null,
  tokens_committed numeric not null,
  tokens_staked numeric not null,
  tokens_unstaking numeric not null,
  tokens_unstaked numeric not null,
  tokens_rewarded numeric not null,
  tokens_requested_to_unstake numeric,
  created_height bigint,
  created_tx_index integer,
  address text,
  last_height bigint not null,
  is_complete boolean not null,
  primary key (node_id, delegator_id)
);

create index staking_delegators_staked on app.staking_delegators (tokens_staked, node_id, delegator_id);
create index staking_delegators_node on app.staking_delegators (node_id, tokens_staked, delegator_id);

comment on table app.staking_delegators is 'Delegators and their current balances.';
comment on column app.staking_delegators.node_id is 'Node id, 64 hex digits.';
comment on column app.staking_delegators.delegator_id is 'Delegator id within the node, from 1.';
comment on column app.staking_delegators.tokens_committed is 'FLOW to be staked when the next epoch starts.';
comment on column app.staking_delegators.tokens_staked is 'FLOW staked in this epoch.';
comment on column app.staking_delegators.tokens_unstaking is 'FLOW released when the next epoch starts.';
comment on column app.staking_delegators.tokens_unstaked is 'Withdrawable FLOW that is not staked.';
comment on column app.staking_delegators.tokens_rewarded is 'Withdrawable FLOW rewards.';
comment on column app.staking_delegators.tokens_requested_to_unstake is 'Staked FLOW not to be staked in the next epoch. Since February 2023.';
comment on column app.staking_delegators.created_height is 'Height of the registration; null if not indexed.';
comment on column app.staking_delegators.created_tx_index is 'Position of the registering transaction in that block.';
comment on column app.staking_delegators.address is 'First authorizer of the registration, 0x and 16 hex digits; null if not indexed.';
comment on column app.staking_delegators.last_height is 'Height of the last event.';
comment on column app.staking_delegators.is_complete is 'True if the balances follow from all events. False if early events are not indexed or an event has no source bucket.';

create table app.staking_nodes (
  node_id text primary key,
  epoch bigint,
  role smallint,
  networking_address text,
  weight smallint,
  tokens_committed numeric not null,
  tokens_staked numeric not null,
  tokens_unstaking numeric not null,
  tokens_unstaked numeric not null,
  tokens_rewarded numeric not null,
  tokens_requested_to_unstake numeric,
  delegator_count integer not null,
  created_height bigint,
  created_tx_index integer,
  address text,
  last_height bigint not null,
  is_complete boolean not null
);

create index staking_nodes_staked on app.staking_nodes (tokens_staked, node_id);

comment on table app.staking_nodes is 'Nodes and their current balances, without delegations.';
comment on column app.staking_nodes.node_id is '64 hex digits.';
comment on column app.staking_nodes.epoch is 'Newest epoch in which the node takes part; null if none is indexed.';
comment on column app.staking_nodes.role is '1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null if unknown.';
comment on column app.staking_nodes.networking_address is 'Host and port; null if unknown: the registration event omits it.';
comment on column app.staking_nodes.weight is 'Initial weight, 0 to 100; null if unknown.';
comment on column app.staking_nodes.tokens_committed is 'FLOW to be staked when the next epoch starts.';
comment on column app.staking_nodes.tokens_staked is 'FLOW staked in this epoch.';
comment on column app.staking_nodes.tokens_unstaking is 'FLOW released when the next epoch starts.';
comment on column app.staking_nodes.tokens_unstaked is 'Withdrawable FLOW that is not staked.';
comment on column app.staking_nodes.tokens_rewarded is 'Withdrawable FLOW rewards.';
comment on column app.staking_nodes.tokens_requested_to_unstake is 'Staked FLOW not to be staked in the next epoch; null after a partial cancellation, whose amount no event has.';
comment on column app.staking_nodes.delegator_count is 'Delegators registered so far: the highest delegator id.';
comment on column app.staking_nodes.created_height is 'Height of the registration; null if not indexed.';
comment on column app.staking_nodes.created_tx_index is 'Position of the registering transaction in that block.';
comment on column app.staking_nodes.address is 'As in app.staking_delegators.';
comment on column app.staking_nodes.last_height is 'Height of the last event.';
comment on column app.staking_nodes.is_complete is 'True if the balances follow from all events, or from an EpochSetup and all later events. False if neither is indexed or an event has no source bucket.';

create table app.epoch_stats (
  epoch bigint primary key,
  start_height bigint,
  start_time timestamptz,
  end_height bigint,
  end_time timestamptz,
  first_view bigint,
  staking_end_view bigint,
  final_view bigint,
  target_end_time timestamptz,
  setup_height bigint,
  setup_tx_index integer,
  setup_event_index integer,
  commit_height bigint,
  total_nodes integer,
  total_staked numeric,
  total_supply numeric,
  total_rewards numeric,
  payout_height bigint,
  payout_tx_index integer,
  payout_time timestamptz,
  payout_total numeric,
  payout_from_fees numeric,
  payout_minted numeric,
  payout_fees_burned numeric
);

comment on table app.epoch_stats is 'Epochs. Values without an indexed event are null.';
comment on column app.epoch_stats.epoch is 'Epoch counter.';
comment on column app.epoch_stats.start_height is 'First height: block of EpochStart; before November 2023, of the NewEpoch after its EpochSetup.';
comment on column app.epoch_stats.start_time is 'Time of that block.';
comment on column app.epoch_stats.end_height is 'Last height.';
comment on column app.epoch_stats.end_time is 'Time of the first block of the next epoch.';
comment on column app.epoch_stats.first_view is 'First view.';
comment on column app.epoch_stats.staking_end_view is 'Last view of the staking auction.';
comment on column app.epoch_stats.final_view is 'Last view.';
comment on column app.epoch_stats.target_end_time is 'Target end time.';
comment on column app.epoch_stats.setup_height is 'Height of the EpochSetup or EpochRecover event with its nodes. With the next two columns, the key of app.epoch_nodes.';
comment on column app.epoch_stats.setup_tx_index is 'Position of that transaction in the block.';
comment on column app.epoch_stats.setup_event_index is 'Index of that event in the transaction.';
comment on column app.epoch_stats.commit_height is 'Height of the EpochCommit event.';
comment on column app.epoch_stats.total_nodes is 'Participating nodes.';
comment on column app.epoch_stats.total_staked is 'FLOW staked by nodes and delegators, without access nodes.';
comment on column app.epoch_stats.total_supply is 'FLOW supply at its start, including the rewards of the previous epoch.';
comment on column app.epoch_stats.total_rewards is 'FLOW rewards planned at its start.';
comment on column app.epoch_stats.payout_height is 'Height of the reward payout.';
comment on column app.epoch_stats.payout_tx_index is 'Position of the payout transaction in that block. Its RewardsPaid and DelegatorRewardsPaid events are the payments.';
comment on column app.epoch_stats.payout_time is 'Time of that block.';
comment on column app.epoch_stats.payout_total is 'FLOW paid to nodes and delegators.';
comment on column app.epoch_stats.payout_from_fees is 'Part of it funded by transaction fees.';
comment on column app.epoch_stats.payout_minted is 'Part of it that was minted.';
comment on column app.epoch_stats.payout_fees_burned is 'FLOW fees burned.';
