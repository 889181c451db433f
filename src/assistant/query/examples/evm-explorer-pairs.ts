import type { ExamplePair } from './example-pairs.ts'

/**
 * Blockscout: addresses and hashes are bytea, values are in attoflow, rows of replaced blocks have
 * `consensus` false.
 */
export const evmExplorerPairs: readonly ExamplePair[] = [
  {
    questions: ['What is the newest EVM block?', '最新的 EVM 区块是哪个？'],
    sql: `select number, '0x' || encode(hash, 'hex') as block_hash, timestamp, gas_used, gas_limit
from blocks
where consensus
order by number desc
limit 1`,
  },
  {
    questions: ['Show the latest 20 EVM transactions'],
    sql: `select '0x' || encode(hash, 'hex') as transaction_hash, block_number,
  '0x' || encode(from_address_hash, 'hex') as sender,
  '0x' || encode(to_address_hash, 'hex') as receiver, value / 1000000000000000000 as value_in_flow, status
from transactions
where block_number is not null
order by block_number desc, index desc
limit 20`,
  },
  {
    questions: ['How many EVM transactions were there per day?', '每天的 EVM 交易数量'],
    sql: `select block_timestamp::date as day, count(*) as transactions, count(*) filter (where status = 0) as failed
from transactions
where block_consensus
group by day
order by day desc
limit 30`,
  },
  {
    questions: ['Which tokens have the most holders?', '持有者最多的代币有哪些？'],
    sql: `select name, symbol, type, '0x' || encode(contract_address_hash, 'hex') as contract, holder_count
from tokens
where holder_count is not null
order by holder_count desc, contract
limit 20`,
  },
  {
    questions: ['Who holds the most WFLOW?', '谁持有最多的 WFLOW？'],
    sql: `select '0x' || encode(b.address_hash, 'hex') as holder, b.value / power(10::numeric, t.decimals) as balance,
  b.value as raw_units
from address_current_token_balances b
join tokens t on t.contract_address_hash = b.token_contract_address_hash
where t.symbol = 'WFLOW' and b.value > 0
order by b.value desc, holder
limit 20`,
  },
  {
    questions: ['Latest transfers of ERC-20 tokens with their amounts'],
    sql: `select x.block_number, t.symbol, '0x' || encode(x.from_address_hash, 'hex') as sender,
  '0x' || encode(x.to_address_hash, 'hex') as receiver,
  x.amount / power(10::numeric, t.decimals) as amount, x.amount as raw_units
from token_transfers x
join tokens t on t.contract_address_hash = x.token_contract_address_hash
where t.type = 'ERC-20' and x.block_consensus
order by x.block_number desc, x.log_index desc
limit 20`,
  },
  {
    questions: ['Which NFTs moved lately?'],
    sql: `select x.block_number, t.name, item.token_id, '0x' || encode(x.to_address_hash, 'hex') as receiver
from token_transfers x
join tokens t on t.contract_address_hash = x.token_contract_address_hash
cross join lateral unnest(x.token_ids) as item(token_id)
where t.type in ('ERC-721', 'ERC-1155') and x.block_consensus
order by x.block_number desc, x.log_index desc, item.token_id
limit 20`,
  },
  {
    questions: ['Which contracts are called most often?', '调用最多的合约'],
    sql: `select '0x' || encode(t.to_address_hash, 'hex') as contract, s.name, count(*) as calls
from transactions t
left join smart_contracts s on s.address_hash = t.to_address_hash
where t.block_consensus and t.to_address_hash is not null
  and t.block_timestamp > (select max(timestamp) from blocks) - interval '7 days'
group by t.to_address_hash, s.name
order by calls desc, contract
limit 20`,
  },
  {
    questions: ['Verified contracts and their compiler'],
    sql: `select name, '0x' || encode(address_hash, 'hex') as contract, compiler_version, optimization, inserted_at
from smart_contracts
order by inserted_at desc, contract
limit 20`,
  },
  {
    questions: ['平均 Gas 价格按天统计', 'Average gas price by day, in gwei'],
    sql: `select block_timestamp::date as day, round(avg(gas_price) / 1000000000, 4) as gas_price_in_gwei,
  sum(gas_used) as gas_used
from transactions
where block_consensus
group by day
order by day desc
limit 30`,
  },
  {
    questions: ['Balance of the EVM address 0x0000000000000000000000020000000000000001'],
    sql: `select '0x' || encode(hash, 'hex') as address, fetched_coin_balance / 1000000000000000000 as balance_in_flow,
  transactions_count
from addresses
where hash = decode('0000000000000000000000020000000000000001', 'hex')`,
  },
  {
    questions: ['Which contracts emit the most logs, by first topic?'],
    sql: `select '0x' || encode(address_hash, 'hex') as contract, '0x' || encode(first_topic, 'hex') as first_topic,
  count(*) as logs
from logs
where block_number > (select max(number) from blocks) - 10000
group by address_hash, first_topic
order by logs desc, contract, first_topic
limit 20`,
  },
  {
    questions: ['失败的 EVM 交易及原因', 'Failed EVM transactions with their errors'],
    sql: `select '0x' || encode(hash, 'hex') as transaction_hash, block_number, error
from transactions
where status = 0 and block_consensus
order by block_number desc, index desc
limit 20`,
  },
]
