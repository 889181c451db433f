import { coreContracts } from '../../../flow/core-contracts.ts'
import type { CoreContracts } from '../../../flow/core-contracts.ts'
import type { Network } from '../../../flow/network.ts'
import type { QueryTarget } from '../query-service.ts'
import { accountPairs } from './account-pairs.ts'
import { blockPairs } from './block-pairs.ts'
import { contractPairs } from './contract-pairs.ts'
import { evmExplorerPairs } from './evm-explorer-pairs.ts'
import { tokenPairs } from './token-pairs.ts'

/** `{flowToken}` is the account of a core contract. */
export interface ExamplePair {
  readonly questions: readonly [string, ...string[]]
  /** One SELECT without a semicolon. */
  readonly sql: string
}

export function inNetwork(pairs: readonly ExamplePair[], network: Network): ExamplePair[] {
  return pairs.map(({ questions: [first, ...others], sql }) => ({
    questions: [withAddresses(first, network), ...others.map((question) => withAddresses(question, network))],
    sql: withAddresses(sql, network),
  }))
}

/**
 * Replaces `{name}` by the account of that core contract, 16 hex digits without `0x`.
 * @throws Error for an unknown contract
 */
export function withAddresses(text: string, network: Network): string {
  const contracts = coreContracts(network)
  return text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (!isCoreContract(name, contracts))
      throw new Error(`An example names the core contract ${name}, which there is not: ${text}`)
    return contracts[name]
  })
}

function isCoreContract(name: string, contracts: CoreContracts): name is keyof CoreContracts {
  return Object.hasOwn(contracts, name)
}

const itemPairs: readonly ExamplePair[] = [
  {
    questions: ['Which NFT collections have the most transfers?', '转移最多的 NFT 系列有哪些？'],
    sql: `select t.token as collection, m.name, t.transfer_count, t.mint_count, t.burn_count
from app.nft_collection_totals t
left join app.nft_collection_metadata m using (token)
order by t.transfer_count desc, t.token
limit 20`,
  },
  {
    questions: ['How many items and holders does each collection have?', '每个 NFT 系列有多少持有者？'],
    sql: `select token as collection, item_count, holder_count
from app.nft_collection_stats
order by holder_count desc, token
limit 20`,
  },
  {
    questions: ['Who owns the most NFTs?'],
    sql: `select address, sum(item_count) as items, count(*) as collections
from app.nft_holdings
group by address
order by items desc, address
limit 20`,
  },
  {
    questions: ['How many NFTs were minted in each of the last days?', '每天铸造了多少 NFT？'],
    sql: `select s.day, n.token as collection, count(*) as mints
from app.nft_transfers n
join app.block_stats s using (block_height)
where n.transfer_type = 'mint' and n.block_height > (select max(height) from raw.blocks) - 100000
group by s.day, n.token
order by s.day desc, mints desc, collection
limit 50`,
  },
  {
    questions: ['Latest NFT transfers with the transaction'],
    sql: `select n.block_height, n.token as collection, n.nft_id, n.from_address, n.to_address,
  '0x' || encode(t.id, 'hex') as transaction_id
from app.nft_transfers n
join raw.transactions t using (block_height, tx_index)
where n.transfer_type = 'transfer' and n.block_height > (select max(height) from raw.blocks) - 1000
order by n.block_height desc, n.tx_index desc, n.event_index desc
limit 20`,
  },
  {
    questions: [
      'What were the most expensive marketplace sales in the last 10,000 blocks?',
      '最近最贵的 NFT 成交是多少？',
    ],
    sql: `select e.block_height, e.payload->>'nftType' as item_type, e.payload->>'nftID' as nft_id,
  (e.payload->>'salePrice')::numeric as price, e.payload->>'salePaymentVaultType' as paid_in
from raw.events e
where e.type = 'A.{nftStorefront}.NFTStorefrontV2.ListingCompleted' and e.payload->>'purchased' = 'true'
  and e.block_height > (select max(height) from raw.blocks) - 10000
order by price desc, e.block_height
limit 20`,
  },
  {
    questions: ['Which items changed hands most often?', '哪些 NFT 转手次数最多？'],
    sql: `select token as collection, nft_id, count(*) as transfers, count(distinct to_address) as owners
from app.nft_transfers
where transfer_type = 'transfer' and block_height > (select max(height) from raw.blocks) - 100000
group by token, nft_id
order by transfers desc, collection, nft_id
limit 20`,
  },
  {
    questions: ['有多少账户同时持有多个系列的 NFT？', 'How many accounts own items of more than one collection?'],
    sql: `select count(*) as accounts
from (
  select address
  from app.nft_holdings
  where item_count > 0
  group by address
  having count(distinct token) > 1
) holders`,
  },
]

/** Amounts are in FLOW. */
const stakingPairs: readonly ExamplePair[] = [
  {
    questions: ['Which nodes have the most FLOW staked?', '质押最多的节点有哪些？'],
    sql: `select node_id,
  case role when 1 then 'collection' when 2 then 'consensus' when 3 then 'execution' when 4 then 'verification'
    when 5 then 'access' end as role,
  tokens_staked, delegator_count
from app.staking_nodes
order by tokens_staked desc, node_id
limit 20`,
  },
  {
    questions: ['How much is staked, and what was paid, in each epoch?', '每个纪元质押了多少 FLOW？'],
    sql: `select epoch, start_time, total_staked, total_rewards, payout_total
from app.epoch_stats
order by epoch desc
limit 20`,
  },
  {
    questions: ['Which staking rewards were paid last?'],
    sql: `select block_height, node_id, delegator_id, amount, epoch
from app.staking_events
where event_type in ('RewardsPaid', 'DelegatorRewardsPaid')
order by block_height desc, tx_index desc, event_index desc
limit 20`,
  },
  {
    questions: ['Who are the largest delegators?', '最大的委托人是谁？'],
    sql: `select node_id, delegator_id, address, tokens_staked + tokens_committed as stake
from app.staking_delegators
order by stake desc, node_id, delegator_id
limit 20`,
  },
  {
    questions: ['How long did each epoch last?'],
    sql: `select epoch, start_time, end_time, round(extract(epoch from end_time - start_time) / 3600, 2) as hours,
  end_height - start_height + 1 as blocks
from app.epoch_stats
where start_height is not null and end_height is not null
order by epoch desc
limit 20`,
  },
  {
    questions: ['质押事件按类型统计', 'How many staking events are there of each type?'],
    sql: `select event_type, count(*) as events, sum(amount) as flow
from app.staking_events
group by event_type
order by events desc, event_type`,
  },
]

/** Amounts are in whole tokens; the volume of a pair counts both directions. */
const defiPairs: readonly ExamplePair[] = [
  {
    questions: ['Which swap pairs are there and what is their last price?', '有哪些交易对？最新价格是多少？'],
    sql: `select pair, dex, asset0, asset1, price, last_height
from app.defi_pairs
order by last_height desc, pair
limit 20`,
  },
  {
    questions: ['Swap volume of each pair by day', '每个交易对每天的成交量'],
    sql: `select d.day, d.pair, p.asset0, d.volume0, p.asset1, d.volume1, d.swap_count
from app.defi_pair_days d
join app.defi_pairs p using (pair)
order by d.day desc, d.swap_count desc, d.pair
limit 50`,
  },
  {
    questions: ['How many swaps were there per day?', '每天有多少笔兑换？'],
    sql: `select day, swap_count
from app.daily_analytics
order by day desc
limit 30`,
  },
  {
    questions: ['Who swapped most often in the last 10,000 blocks?'],
    sql: `select maker, count(*) as swaps, count(distinct pair) as pairs
from app.defi_events
where event_type = 'Swap' and maker is not null and block_height > (select max(height) from raw.blocks) - 10000
group by maker
order by swaps desc, maker
limit 20`,
  },
  {
    questions: ['Opening, highest, lowest and closing price of each pair by day'],
    sql: `select pair, day, (array_agg(price order by block_height, tx_index, event_index))[1] as open,
  max(price) as high, min(price) as low,
  (array_agg(price order by block_height desc, tx_index desc, event_index desc))[1] as close
from app.defi_events
where event_type = 'Swap' and price is not null and block_height > (select max(height) from raw.blocks) - 100000
group by pair, day
order by pair, day desc
limit 100`,
  },
  {
    questions: ['每天有多少不同的交易者？', 'How many different traders were there each day?'],
    sql: `select day, actor_count as traders
from app.daily_actor_counts
where kind = 'trader'
order by day desc
limit 30`,
  },
]

/** EVM addresses and hashes are hex text without `0x`; values are in attoflow. */
const evmPairs: readonly ExamplePair[] = [
  {
    questions: ['How many EVM transactions were there each day and how many failed?', '每天有多少 EVM 交易？'],
    sql: `select day, evm_execution_count, evm_failed_count, evm_gas_used
from app.daily_analytics
order by day desc
limit 30`,
  },
  {
    questions: ['Latest EVM transactions with the value in FLOW'],
    sql: `select block_height, '0x' || evm_hash as evm_hash, '0x' || evm_from as sender, '0x' || evm_to as receiver,
  evm_value / 1000000000000000000 as value_in_flow, evm_status
from app.evm_tx_hashes
where block_height > (select max(height) from raw.blocks) - 1000
order by block_height desc, tx_index desc, event_index desc
limit 20`,
  },
  {
    questions: ['Which EVM addresses sent the most transactions in the last 10,000 blocks?'],
    sql: `select '0x' || evm_from as sender, count(*) as transactions, sum(evm_gas_used) as gas
from app.evm_tx_hashes
where evm_from is not null and block_height > (select max(height) from raw.blocks) - 10000
group by evm_from
order by transactions desc, sender
limit 20`,
  },
  {
    questions: ['Which ERC-20 tokens have the most holders?', '持有者最多的 ERC-20 代币'],
    sql: `select '0x' || token as token, holder_count, transfer_count
from app.evm_tokens
where standard = 20
order by holder_count desc, token
limit 20`,
  },
  {
    questions: ['How much FLOW was bridged into the EVM and out of it?', '有多少 FLOW 跨入和跨出 EVM？'],
    sql: `select case when length(to_address) = 42 then 'into EVM' else 'out of EVM' end as direction,
  count(*) as transfers, sum(amount) as flow
from app.ft_transfers
where token = 'A.{flowToken}.FlowToken' and transfer_type = 'bridge'
  and block_height > (select max(height) from raw.blocks) - 100000
group by direction
order by direction`,
  },
  {
    questions: ['Which Flow accounts made EVM accounts of their own most recently?'],
    sql: `select block_height, flow_address, coa_address
from app.coa_accounts
order by block_height desc, tx_index desc, event_index desc
limit 20`,
  },
  {
    questions: ['EVM 交易失败的原因有哪些？', 'Why do EVM transactions fail?'],
    sql: `select d.error_code, d.error_message, count(*) as failures
from app.evm_tx_hashes h
join app.evm_transactions d using (block_height, tx_index, event_index)
where h.evm_status = 0 and h.block_height > (select max(height) from raw.blocks) - 10000
group by d.error_code, d.error_message
order by failures desc, d.error_message
limit 20`,
  },
  {
    questions: ['How many EVM addresses were active each day?'],
    sql: `select day, actor_count as evm_addresses
from app.daily_actor_counts
where kind = 'evm'
order by day desc
limit 30`,
  },
]

const pairsOf: Readonly<Record<QueryTarget, readonly ExamplePair[]>> = {
  indexer: [
    ...blockPairs,
    ...accountPairs,
    ...tokenPairs,
    ...itemPairs,
    ...contractPairs,
    ...defiPairs,
    ...stakingPairs,
    ...evmPairs,
  ],
  evm: evmExplorerPairs,
}

export function examplePairs(target: QueryTarget, network: Network): ExamplePair[] {
  return inNetwork(pairsOf[target], network)
}
