-- Nodes, delegators, epochs, rewards: what the contracts FlowIDTableStaking and FlowEpoch of the chain itself tell.
-- These tables are not partitioned: epochs end once a week, with some ten thousand rows, and all that there is of a node
-- or a delegator is found by one index, however old it is.

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

comment on table app.staking_events is 'Events of FlowIDTableStaking about nodes, delegators and the rules for all of them. Those about epochs are in app.epoch_events.';
comment on column app.staking_events.block_height is 'Height of the block.';
comment on column app.staking_events.tx_index is 'Position of the transaction in the block.';
comment on column app.staking_events.event_index is 'Position of the event in the transaction.';
comment on column app.staking_events.event_type is 'Name of the event, such as TokensCommitted or DelegatorRewardsPaid.';
comment on column app.staking_events.node_id is 'Node, 64 hex digits; null for rules.';
comment on column app.staking_events.delegator_id is 'Number of the delegator of that node, from 1 on; 0 for the node itself, null for rules.';
comment on column app.staking_events.amount is 'As the event tells it: FLOW, 8 decimals; for rules their new value.';
comment on column app.staking_events.from_bucket is 'Where the tokens were: committed, staked, unstaking, unstaked, rewarded. unknown: unstaked or rewarded. Null: outside of the contract, or nothing moved.';
comment on column app.staking_events.to_bucket is 'Where the tokens are now, written like from_bucket.';
comment on column app.staking_events.moved is 'FLOW that moved, where it is not amount: the committed tokens of a removed node, or what is left of an amount after a request to unstake was cancelled with it.';
comment on column app.staking_events.epoch is 'Counter of the epoch that is rewarded; null for other events and before November 2023.';
comment on column app.staking_events.role is 'Of a new node: 1 collection, 2 consensus, 3 execution, 4 verification, 5 access.';
comment on column app.staking_events.networking_address is 'Of a node with a new one: host and port.';
comment on column app.staking_events.weight is 'Of a node with a new one: 0 to 100.';
comment on column app.staking_events.account is 'Of a new node or delegator: the account that authorized its registration first, 0x and 16 hex digits; null for other events.';

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

comment on table app.epoch_events is 'Events of FlowEpoch, and those of FlowIDTableStaking about epochs.';
comment on column app.epoch_events.block_height is 'Height of the block.';
comment on column app.epoch_events.tx_index is 'Position of the transaction in the block.';
comment on column app.epoch_events.event_index is 'Position of the event in the transaction.';
comment on column app.epoch_events.event_type is 'EpochSetup, EpochCommit, EpochRecover (about an epoch to come), NewEpoch (tokens have moved), EpochStart, EpochTotalRewardsPaid.';
comment on column app.epoch_events.epoch is 'Counter of the epoch that it is about; null where the event does not tell: NewEpoch and EpochTotalRewardsPaid before November 2023.';
comment on column app.epoch_events.block_time is 'Time of the block.';
comment on column app.epoch_events.first_view is 'First view of the epoch.';
comment on column app.epoch_events.staking_end_view is 'Last view of its staking auction.';
comment on column app.epoch_events.final_view is 'Last view of the epoch.';
comment on column app.epoch_events.target_duration is 'How long it is meant to last, seconds.';
comment on column app.epoch_events.target_end_time is 'When it is meant to end.';
comment on column app.epoch_events.total_staked is 'FLOW staked by nodes and delegators, without access nodes.';
comment on column app.epoch_events.total_supply is 'FLOW in all, with the rewards for the epoch before.';
comment on column app.epoch_events.total_rewards is 'FLOW to be paid for an epoch that starts; of EpochTotalRewardsPaid: that was paid.';
comment on column app.epoch_events.from_fees is 'FLOW of the rewards that came from transaction fees.';
comment on column app.epoch_events.minted is 'FLOW of the rewards that was made.';
comment on column app.epoch_events.fees_burned is 'FLOW of the fees that was destroyed.';
comment on column app.epoch_events.node_count is 'Nodes that take part; of EpochSetup and EpochRecover.';

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

comment on table app.epoch_nodes is 'The nodes of each epoch, as EpochSetup or EpochRecover told them in the epoch before, with what they had then. app.epoch_stats tells which of several such events counts.';
comment on column app.epoch_nodes.block_height is 'Height of the block.';
comment on column app.epoch_nodes.tx_index is 'Position of the transaction in the block.';
comment on column app.epoch_nodes.event_index is 'Position of the event in the transaction.';
comment on column app.epoch_nodes.node_id is 'Node, 64 hex digits.';
comment on column app.epoch_nodes.epoch is 'Counter of the epoch.';
comment on column app.epoch_nodes.role is '1 collection, 2 consensus, 3 execution, 4 verification, 5 access.';
comment on column app.epoch_nodes.networking_address is 'Host and port.';
comment on column app.epoch_nodes.weight is '0 to 100.';
comment on column app.epoch_nodes.tokens_committed is 'FLOW of the node itself that is to be staked when the epoch starts.';
comment on column app.epoch_nodes.tokens_staked is 'FLOW of the node itself staked in the epoch before.';
comment on column app.epoch_nodes.tokens_unstaking is 'FLOW that is free when the epoch starts.';
comment on column app.epoch_nodes.tokens_unstaked is 'FLOW that may be withdrawn.';
comment on column app.epoch_nodes.tokens_rewarded is 'FLOW earned that may be withdrawn.';
comment on column app.epoch_nodes.tokens_requested_to_unstake is 'FLOW of what is staked that is not to be staked in the epoch.';
comment on column app.epoch_nodes.delegator_count is 'Delegators that the node ever had.';

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

comment on table app.staking_sums is 'What the events of each node and delegator add up to.';
comment on column app.staking_sums.node_id is 'Node, 64 hex digits.';
comment on column app.staking_sums.delegator_id is 'Number of the delegator; 0 for the node itself.';
comment on column app.staking_sums.committed is 'FLOW that events moved there less what they took away.';
comment on column app.staking_sums.staked is 'The same for what is staked.';
comment on column app.staking_sums.unstaking is 'The same for what is free at the end of the epoch.';
comment on column app.staking_sums.unstaked is 'The same for what may be withdrawn.';
comment on column app.staking_sums.rewarded is 'The same for what was earned.';
comment on column app.staking_sums.event_count is 'Events about it; without any there is no row.';
comment on column app.staking_sums.unknown_count is 'Events that moved tokens from where nothing tells.';

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

comment on table app.staking_delegators is 'Who delegates to nodes, with what they have there now.';
comment on column app.staking_delegators.node_id is 'Node, 64 hex digits.';
comment on column app.staking_delegators.delegator_id is 'Counts the delegators of the node from 1.';
comment on column app.staking_delegators.tokens_committed is 'FLOW that is staked when the next epoch starts.';
comment on column app.staking_delegators.tokens_staked is 'FLOW staked in this epoch.';
comment on column app.staking_delegators.tokens_unstaking is 'FLOW that is free when the next epoch starts.';
comment on column app.staking_delegators.tokens_unstaked is 'FLOW that may be withdrawn.';
comment on column app.staking_delegators.tokens_rewarded is 'FLOW earned that may be withdrawn.';
comment on column app.staking_delegators.tokens_requested_to_unstake is 'FLOW of what is staked that is not to be staked in the next epoch. Told since February 2023.';
comment on column app.staking_delegators.created_height is 'Block of its registration; null while that block is not indexed.';
comment on column app.staking_delegators.created_tx_index is 'Transaction of its registration, by its position in that block.';
comment on column app.staking_delegators.address is 'Account that authorized its registration first, 0x and 16 hex digits; null while that is not indexed.';
comment on column app.staking_delegators.last_height is 'Last block with an event about it.';
comment on column app.staking_delegators.is_complete is 'True: the amounts follow from all of its events. False: its first events are not indexed, or one did not tell where tokens came from.';

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

comment on table app.staking_nodes is 'Nodes with what they have now, their delegators not included.';
comment on column app.staking_nodes.node_id is '64 hex digits.';
comment on column app.staking_nodes.epoch is 'Newest epoch that it is or will be in; null: none that is indexed.';
comment on column app.staking_nodes.role is '1 collection, 2 consensus, 3 execution, 4 verification, 5 access; null while nothing told.';
comment on column app.staking_nodes.networking_address is 'Host and port; null while nothing told: it is not told when a node registers.';
comment on column app.staking_nodes.weight is '0 to 100; null while nothing told.';
comment on column app.staking_nodes.tokens_committed is 'FLOW that is staked when the next epoch starts.';
comment on column app.staking_nodes.tokens_staked is 'FLOW staked in this epoch.';
comment on column app.staking_nodes.tokens_unstaking is 'FLOW that is free when the next epoch starts.';
comment on column app.staking_nodes.tokens_unstaked is 'FLOW that may be withdrawn.';
comment on column app.staking_nodes.tokens_rewarded is 'FLOW earned that may be withdrawn.';
comment on column app.staking_nodes.tokens_requested_to_unstake is 'FLOW of what is staked that is not to be staked in the next epoch; null: a part of a request was cancelled, and no event tells how much.';
comment on column app.staking_nodes.delegator_count is 'Delegators that it ever had: the greatest number that one has.';
comment on column app.staking_nodes.created_height is 'Block of its registration; null while that block is not indexed.';
comment on column app.staking_nodes.created_tx_index is 'Transaction of its registration, by its position in that block.';
comment on column app.staking_nodes.address is 'As in app.staking_delegators.';
comment on column app.staking_nodes.last_height is 'Last block with an event about it.';
comment on column app.staking_nodes.is_complete is 'True: the amounts follow from all of its events, or from what an EpochSetup told and all events since. False: neither is indexed, or an event did not tell where tokens came from.';

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

comment on table app.epoch_stats is 'Epochs. What no indexed event told is null.';
comment on column app.epoch_stats.epoch is 'Counter.';
comment on column app.epoch_stats.start_height is 'Block in which it started: EpochStart, before November 2023 NewEpoch after its EpochSetup. The blocks before are of the epoch before.';
comment on column app.epoch_stats.start_time is 'Time of that block.';
comment on column app.epoch_stats.end_height is 'Block before the one in which the next epoch started.';
comment on column app.epoch_stats.end_time is 'Time of the block in which the next epoch started.';
comment on column app.epoch_stats.first_view is 'First view.';
comment on column app.epoch_stats.staking_end_view is 'Last view of the staking auction.';
comment on column app.epoch_stats.final_view is 'Last view.';
comment on column app.epoch_stats.target_end_time is 'When it is meant to end.';
comment on column app.epoch_stats.setup_height is 'Block of the EpochSetup or EpochRecover that told its nodes: with the next two columns the key of app.epoch_nodes.';
comment on column app.epoch_stats.setup_tx_index is 'Transaction of it, by its position in the block.';
comment on column app.epoch_stats.setup_event_index is 'Event, by its position in the transaction.';
comment on column app.epoch_stats.commit_height is 'Block of its EpochCommit.';
comment on column app.epoch_stats.total_nodes is 'Nodes that take part.';
comment on column app.epoch_stats.total_staked is 'FLOW staked by nodes and delegators, without access nodes.';
comment on column app.epoch_stats.total_supply is 'FLOW in all when it started, with the rewards for the epoch before.';
comment on column app.epoch_stats.total_rewards is 'FLOW to be paid for it, as told when it started.';
comment on column app.epoch_stats.payout_height is 'Block in which its rewards were paid.';
comment on column app.epoch_stats.payout_tx_index is 'Transaction of it, by its position in the block: its events RewardsPaid and DelegatorRewardsPaid are the payments.';
comment on column app.epoch_stats.payout_time is 'Time of that block.';
comment on column app.epoch_stats.payout_total is 'FLOW paid to nodes and delegators.';
comment on column app.epoch_stats.payout_from_fees is 'FLOW of it that came from transaction fees.';
comment on column app.epoch_stats.payout_minted is 'FLOW of it that was made.';
comment on column app.epoch_stats.payout_fees_burned is 'FLOW of the fees that was destroyed.';
