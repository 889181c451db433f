import type { GoldQuestion } from './gold-questions.ts'

const target = 'indexer'
const flow = 'A.{flowToken}.FlowToken'

export const indexerGold: readonly GoldQuestion[] = [
  // Blocks, transactions, fees and days.
  {
    id: 'block-count',
    target,
    question: 'How many blocks are indexed?',
    accepted: ['select count(*) from raw.blocks', 'select sum(block_count) from app.daily_stats'],
  },
  {
    id: 'first-block-time',
    target,
    question: 'When was the oldest indexed block made?',
    accepted: ['select timestamp from raw.blocks order by height limit 1', 'select min(timestamp) from raw.blocks'],
  },
  {
    id: 'events-total',
    target,
    question: 'How many events are indexed in all?',
    accepted: [
      'select sum(event_count) from app.daily_stats',
      'select sum(event_count) from app.event_types',
      'select sum(event_count) from raw.blocks',
    ],
  },
  {
    id: 'failed-by-day',
    target,
    question: 'How many transactions of users failed on each day? Oldest day first.',
    accepted: [
      'select day, failed_tx_count from app.daily_stats order by day',
      'select day, sum(failed_tx_count) from app.block_stats group by day order by day',
    ],
    order: [0],
  },
  {
    id: 'calmest-day',
    target,
    question: 'On which day were there the fewest events, leaving out the first and the last day?',
    accepted: [
      `select day, event_count from app.daily_stats
where day > (select min(day) from app.daily_stats) and day < (select max(day) from app.daily_stats)
order by event_count, day limit 1`,
    ],
  },
  {
    id: 'fees-total',
    target,
    question: 'How much FLOW has been paid in fees altogether?',
    accepted: [
      'select sum(fees) from app.daily_stats',
      'select sum(fee) from app.tx_metrics',
      `select sum(amount) from app.ft_transfers where transfer_type = 'fee'`,
    ],
  },
  {
    id: 'fullest-block',
    target,
    question: 'Which block has the most transactions? Give its height and their number; of several the lowest.',
    accepted: ['select height, tx_count from raw.blocks order by tx_count desc, height limit 1'],
  },
  {
    id: 'blocks-without-user-transactions',
    target,
    question: '有多少个区块没有任何用户交易？',
    accepted: [
      'select count(*) from app.block_stats where tx_count = system_tx_count',
      'select count(*) from raw.blocks b where not exists (select from raw.transactions t where t.block_height = ' +
        'b.height and t.payer_address is not null)',
    ],
  },
  {
    id: 'top-gas-transaction',
    target,
    question: 'What is the greatest computation that a transaction of a user used?',
    accepted: [
      'select max(gas_used) from app.tx_metrics',
      'select max(gas_used) from raw.transactions where payer_address is not null',
    ],
  },
  {
    id: 'mean-events',
    target,
    question: 'How many events does a block have on average?',
    accepted: [
      'select avg(event_count) from raw.blocks',
      'select sum(event_count)::numeric / count(*) from raw.blocks',
    ],
    tolerance: 0.005,
  },
  {
    id: 'failures-over-limit',
    target,
    question: 'How many failed transactions complain about the balance of a vault?',
    accepted: [
      `select count(*) from raw.transactions where status_code = 1 and error_message ilike '%balance of the vault%'`,
      `select count(*) from raw.transactions where error_message ilike '%balance of the vault%'`,
    ],
  },
  {
    id: 'busiest-hour-of-day',
    target,
    question: 'In which hour of the day (UTC) are there the most transactions, summed over all days?',
    accepted: ['select hour from app.hourly_stats group by hour order by sum(tx_count) desc limit 1'],
  },
  {
    id: 'distinct-scripts',
    target,
    question: 'How many different scripts did the transactions use?',
    accepted: ['select count(distinct script_hash) from raw.transactions', 'select count(*) from raw.scripts'],
  },
  {
    id: 'evm-share',
    target,
    question: 'What percentage of all transactions executed something in the EVM?',
    accepted: ['select 100.0 * sum(evm_tx_count) / sum(tx_count) from app.daily_stats'],
    tolerance: 1e-4,
  },
  {
    id: 'swap-tagged',
    target,
    question: 'How many transactions are tagged as swaps?',
    accepted: [`select sum(cardinality(tx_indexes)) from app.tx_tags where tag = 'SWAP'`],
  },
  {
    id: 'day-to-day',
    target,
    question:
      'By how much did the number of transactions change from each day to the next? Show day and change, oldest ' +
      'first, without the first day.',
    accepted: [
      'select day, tx_count - before as change from (select day, tx_count, lag(tx_count) over (order by day) as ' +
        'before from app.daily_stats) d where before is not null order by day',
      'select b.day, b.tx_count - a.tx_count from app.daily_stats a join app.daily_stats b on b.day = a.day + 1 ' +
        'order by b.day',
    ],
    order: [0],
  },
  {
    id: 'two-authorizers',
    target,
    question: 'How many transactions have more than one authorizer?',
    accepted: ['select count(*) from raw.transactions where cardinality(authorizers) > 1'],
  },
  // Accounts, keys, contracts and scheduled transactions.
  {
    id: 'account-count',
    target,
    question: 'How many accounts are known?',
    accepted: ['select count(*) from app.accounts', 'select count(address) from app.accounts'],
  },
  {
    id: 'created-accounts',
    target,
    question: 'How many accounts were created in the indexed blocks?',
    accepted: [
      'select count(*) from app.accounts where created_height is not null',
      `select event_count from app.event_types where type = 'flow.AccountCreated'`,
      'select sum(new_account_count) from app.daily_stats',
    ],
  },
  {
    id: 'busiest-account',
    target,
    question: 'Which account took part in the most transactions, and in how many?',
    accepted: ['select address, tx_count from app.address_stats order by tx_count desc, address limit 1'],
  },
  {
    id: 'accounts-over-ten',
    target,
    question: '参与交易超过十笔的账户有多少个？',
    accepted: ['select count(*) from app.address_stats where tx_count > 10'],
  },
  {
    id: 'biggest-payer',
    target,
    question: 'Which account paid for the most computation, and how much?',
    accepted: ['select address, gas_used from app.address_stats order by gas_used desc, address limit 1'],
  },
  {
    id: 'keys-by-revocation',
    target,
    question: 'How many keys are there by whether they are revoked (true or false)?',
    accepted: ['select is_revoked, count(*) from app.account_keys group by is_revoked'],
  },
  {
    id: 'keys-added-by-day',
    target,
    question: 'How many keys were added to accounts on each day? Days with some only, oldest first.',
    accepted: [
      `select s.day, count(*) from app.account_key_changes c join app.block_stats s using (block_height)
where not c.is_removed group by s.day order by s.day`,
    ],
    order: [0],
  },
  {
    id: 'service-labels',
    target,
    question: 'Which labels do accounts of the category service have? In alphabetical order.',
    accepted: [`select label from app.account_labels where category = 'service' order by label`],
    order: [0],
  },
  {
    id: 'last-seen-latest',
    target,
    question: 'How many accounts were seen in the last 100 blocks?',
    accepted: ['select count(*) from app.accounts where last_seen_height > (select max(height) from raw.blocks) - 100'],
  },
  {
    id: 'contracts-present',
    target,
    question: 'How many contracts are there now, removed ones not counted?',
    accepted: [
      'select count(*) from app.smart_contracts where not is_removed',
      'select count(*) from app.contracts where is_removed = false',
    ],
  },
  {
    id: 'contracts-removed',
    target,
    question: '哪些合约已被删除？给出地址和名称。',
    accepted: ['select address, name from app.smart_contracts where is_removed'],
  },
  {
    id: 'updates-of-contracts',
    target,
    question: 'How many updates of contracts were there?',
    accepted: [
      `select count(*) from app.contract_versions where change = 'updated'`,
      'select sum(contract_update_count) from app.daily_stats',
    ],
  },
  {
    id: 'same-name',
    target,
    question: 'Which contract names are used in more than one account, and in how many?',
    accepted: ['select name, count(*) from app.smart_contracts group by name having count(*) > 1'],
  },
  {
    id: 'importers-of-flowtoken',
    target,
    question: 'How many transactions import FlowToken in their script?',
    accepted: [
      `select sum(cardinality(tx_indexes)) from app.tx_contracts where contract = 'A.{flowToken}.FlowToken'`,
      `select sum(activity_count) from app.hourly_activity where kind = 'contract'
        and name = 'A.{flowToken}.FlowToken'`,
    ],
  },
  {
    id: 'event-types-of-evm',
    target,
    question: 'Which event types does the contract EVM have, and how many of each? Most frequent first.',
    accepted: [
      `select type, event_count from app.event_types where type like 'A.{service}.EVM.%' order by event_count desc`,
    ],
    order: [1],
  },
  {
    id: 'scheduled-failed',
    target,
    question: 'How many scheduled transactions failed?',
    accepted: [
      `select count(*) from app.scheduled_transactions where status = 'failed'`,
      `select count(*) from app.scheduled_transaction_changes where kind = 'failed'`,
    ],
  },
  {
    id: 'scheduled-fees',
    target,
    question: 'How much FLOW was given back for scheduled transactions that were cancelled?',
    accepted: [
      `select sum(fees_returned) from app.scheduled_transactions where status = 'canceled'`,
      'select sum(fees_returned) from app.scheduled_transactions',
    ],
  },
  // Tokens, items and swaps.
  {
    id: 'tokens-seen',
    target,
    question: 'Which fungible tokens were seen to move?',
    accepted: ['select token from app.ft_tokens', 'select distinct token from app.ft_transfers'],
  },
  {
    id: 'flow-holders',
    target,
    question: 'How many accounts hold FLOW?',
    accepted: [
      `select holder_count from app.ft_token_holders where token = '${flow}'`,
      `select count(*) from app.ft_holdings where token = '${flow}' and balance > 0`,
    ],
  },
  {
    id: 'holders-by-symbol',
    target,
    question: 'How many holders does each fungible token have? Show its symbol.',
    accepted: [
      'select m.symbol, h.holder_count from app.ft_token_holders h join app.ft_token_metadata m on m.token = h.token',
      'select m.symbol, count(*) from app.ft_holdings h join app.ft_token_metadata m on m.token = h.token where ' +
        'h.balance > 0 group by m.symbol',
    ],
  },
  {
    id: 'holders-of-peb',
    target,
    question: '有多少账户同时持有 PEB 和 FLOW？',
    accepted: [
      `select count(*) from (
  select h.address from app.ft_holdings h join app.ft_token_metadata m on m.token = h.token
  where m.symbol in ('PEB', 'FLOW') and h.balance > 0 group by h.address having count(*) = 2) a`,
    ],
  },
  {
    id: 'transfers-by-type',
    target,
    question: 'How many movements of fungible tokens are there of each transfer type?',
    accepted: ['select transfer_type, count(*) from app.ft_transfers group by transfer_type'],
  },
  {
    id: 'largest-transfer',
    target,
    question: 'What is the largest amount of FLOW that was sent as a plain transfer?',
    accepted: [`select max(amount) from app.ft_transfers where token = '${flow}' and transfer_type = 'transfer'`],
  },
  {
    id: 'third-richest',
    target,
    question: 'Which account has the third largest FLOW balance, and how much?',
    accepted: [
      `select address, balance from app.ft_holdings where token = '${flow}' order by balance desc offset 2 limit 1`,
      `select address, balance from (select address, balance, dense_rank() over (order by balance desc) as place
        from app.ft_holdings where token = '${flow}') r where place = 3`,
    ],
  },
  {
    id: 'median-transfer',
    target,
    question: 'What is the median amount of plain FLOW transfers?',
    accepted: [
      `select percentile_cont(0.5) within group (order by amount) from app.ft_transfers
        where token = '${flow}' and transfer_type = 'transfer'`,
    ],
    tolerance: 1e-6,
  },
  {
    id: 'minted-and-burned',
    target,
    question: 'How much of each token was minted and burned?',
    accepted: ['select token, minted, burned from app.ft_token_totals'],
  },
  {
    id: 'self-transfers',
    target,
    question: 'How many plain transfers went from an account to itself?',
    accepted: [`select count(*) from app.ft_transfers where transfer_type = 'transfer' and from_address = to_address`],
  },
  {
    id: 'bridged-into-evm',
    target,
    question: '有多少 FLOW 被转入 EVM？',
    accepted: [
      `select sum(amount) from app.ft_transfers where token =
        '${flow}' and transfer_type = 'bridge' and length(to_address) = 42`,
      `select sum(amount) from app.ft_transfers where token =
        '${flow}' and transfer_type = 'bridge' and to_address like '0x________________________________________'`,
    ],
  },
  {
    id: 'two-tokens',
    target,
    question: 'How many accounts hold at least two different fungible tokens?',
    accepted: [
      'select count(*) from (select address from app.ft_holdings where balance > 0 group by address having ' +
        'count(*) >= 2) a',
      'select count(distinct a.address) from app.ft_holdings a join app.ft_holdings b on b.address = a.address and ' +
        'b.token > a.token where a.balance > 0 and b.balance > 0',
    ],
  },
  {
    id: 'transfers-per-day',
    target,
    question: 'How many movements of fungible tokens, without fees, were there on each day? Newest first.',
    accepted: ['select day, ft_transfer_count from app.daily_stats order by day desc'],
    order: [0],
  },
  {
    id: 'collections',
    target,
    question: 'How many items does each NFT collection have?',
    accepted: [
      'select token, item_count from app.nft_collection_stats',
      'select token, count(*) from app.nft_ownership where not is_burned group by token',
    ],
  },
  {
    id: 'night-trains',
    target,
    question: 'How many transfers of Night Trains were there, mints and burns not counted?',
    accepted: [
      `select count(*) from app.nft_transfers t join app.nft_collection_metadata m on m.token = t.token
where m.name = 'Night Trains' and t.transfer_type = 'transfer'`,
    ],
  },
  {
    id: 'nft-mints',
    target,
    question: 'How many NFTs were minted per collection?',
    accepted: [
      'select token, mint_count from app.nft_collection_totals',
      `select token, count(*) from app.nft_transfers where transfer_type = 'mint' group by token`,
    ],
  },
  {
    id: 'sales-made',
    target,
    question: 'How many listings of the marketplace were sold, and for how much in all?',
    accepted: [
      `select count(*), sum((payload->>'salePrice')::numeric) from raw.events
where type = 'A.{nftStorefront}.NFTStorefrontV2.ListingCompleted' and payload->>'purchased' = 'true'`,
    ],
  },
  {
    id: 'best-paid-collection',
    target,
    question:
      'Which collection had the highest average sale price on the marketplace? Give the item type and the average.',
    accepted: [
      `select payload->>'nftType', avg((payload->>'salePrice')::numeric) as price from raw.events
where type = 'A.{nftStorefront}.NFTStorefrontV2.ListingCompleted' and (payload->>'purchased')::boolean
group by 1 order by price desc limit 1`,
    ],
    tolerance: 1e-6,
  },
  {
    id: 'swaps-per-pair',
    target,
    question: 'How many swaps did each pair have?',
    accepted: [
      'select pair, sum(swap_count) from app.defi_pair_days group by pair',
      `select pair, count(*) from app.defi_events where event_type = 'Swap' group by pair`,
    ],
  },
  {
    id: 'traders',
    target,
    question: '一共有多少个不同的账户做过兑换？',
    accepted: [`select count(distinct maker) from app.defi_events where event_type = 'Swap'`],
  },
  {
    id: 'swap-flow-volume',
    target,
    question: 'How much FLOW was swapped in all pairs together, in and out?',
    accepted: [
      `select sum(case when p.asset0 = '${flow}' then d.volume0 else 0 end + case when p.asset1 =
        '${flow}' then d.volume1 else 0 end) from app.defi_pair_days d join app.defi_pairs p using (pair)`,
      `select sum(coalesce(asset0_in, 0) + coalesce(asset0_out, 0)) from app.defi_events
        where event_type = 'Swap' and asset0 = '${flow}'`,
    ],
  },
  {
    id: 'price-range',
    target,
    question: 'What were the lowest and the highest price of each pair?',
    accepted: [`select pair, min(price), max(price) from app.defi_events where event_type = 'Swap' group by pair`],
    tolerance: 1e-9,
  },
  // Staking and EVM.
  {
    id: 'latest-epoch',
    target,
    question: 'Which epoch is the newest, and at which height did it start?',
    accepted: ['select epoch, start_height from app.epoch_stats order by epoch desc limit 1'],
  },
  {
    id: 'rewards-of-epochs',
    target,
    question: 'How much was paid as rewards for each epoch? Only epochs that were paid, oldest first.',
    accepted: ['select epoch, payout_total from app.epoch_stats where payout_total is not null order by epoch'],
    order: [0],
  },
  {
    id: 'stake-by-node',
    target,
    question: 'How much FLOW is staked with each node, its own and that of its delegators together?',
    accepted: [
      `select n.node_id, n.tokens_staked + coalesce(sum(d.tokens_staked), 0) from app.staking_nodes n
left join app.staking_delegators d on d.node_id = n.node_id group by n.node_id`,
      `select node_id, sum(tokens_staked) from (
  select node_id, tokens_staked from app.staking_nodes union all select node_id, tokens_staked
  from app.staking_delegators) s group by node_id`,
    ],
  },
  {
    id: 'delegated-total',
    target,
    question: '委托人一共质押了多少 FLOW？',
    accepted: ['select sum(tokens_staked) from app.staking_delegators'],
  },
  {
    id: 'delegators-commitments',
    target,
    question: 'How often did delegators commit stake, and how much FLOW in all?',
    accepted: [`select count(*), sum(amount) from app.staking_events where event_type = 'DelegatorTokensCommitted'`],
  },
  {
    id: 'committed-amount',
    target,
    question: 'How much FLOW did nodes and delegators commit in all?',
    accepted: [
      `select sum(amount) from app.staking_events where event_type in ('TokensCommitted', 'DelegatorTokensCommitted')`,
    ],
  },
  {
    id: 'stake-growth',
    target,
    question: 'By how much did the total stake change from each epoch to the next? Oldest first, without the first.',
    accepted: [
      `select epoch, change from (
  select epoch, total_staked - lag(total_staked) over (order by epoch) as change from app.epoch_stats) e
  where change is not null order by epoch`,
    ],
    order: [0],
  },
  {
    id: 'evm-failures',
    target,
    question: 'How many EVM transactions failed?',
    accepted: [
      'select count(*) from app.evm_tx_hashes where evm_status = 0',
      'select sum(evm_failed_count) from app.daily_analytics',
    ],
  },
  {
    id: 'evm-gas',
    target,
    question: 'How much gas did EVM transactions use in all?',
    accepted: ['select sum(evm_gas_used) from app.evm_tx_hashes', 'select sum(evm_gas_used) from app.daily_analytics'],
  },
  {
    id: 'evm-value',
    target,
    question: 'How much FLOW was sent by EVM transactions that succeeded? In FLOW, not attoflow.',
    accepted: ['select sum(evm_value) / 1e18 from app.evm_tx_hashes where evm_status = 1'],
    tolerance: 1e-9,
  },
  {
    id: 'evm-by-standard',
    target,
    question: 'How many EVM token transfers are there for each ERC standard?',
    accepted: [
      'select standard, count(*) from app.evm_token_transfers group by standard',
      'select standard, sum(transfer_count) from app.evm_tokens group by standard',
    ],
  },
  {
    id: 'evm-deployments',
    target,
    question: 'How many contracts were deployed in the EVM by accounts that Cadence owns?',
    accepted: [`select count(*) from app.evm_transactions where call_type = 'deploy'`],
  },
  {
    id: 'coa-total',
    target,
    question: '有多少个 Flow 账户拥有的 EVM 账户（COA）？',
    accepted: ['select count(*) from app.coa_accounts', 'select sum(new_coa_count) from app.daily_stats'],
  },
]
