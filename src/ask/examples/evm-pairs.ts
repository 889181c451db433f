import type { ExamplePair } from './example-pair.ts'

/** The EVM as the indexer sees it. There EVM addresses and hashes are hex text without `0x`, and values are in attoflow. */
export const evmPairs: readonly ExamplePair[] = [
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
    sql: `select case when length(to_address) = 42 then 'into EVM' else 'out of EVM' end as direction, count(*) as transfers, sum(amount) as flow
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
