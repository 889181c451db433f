import type { ExamplePair } from './example-pairs.ts'

export const blockPairs: readonly ExamplePair[] = [
  {
    questions: ['What is the newest indexed block?', '最新的区块高度是多少？'],
    sql: `select height, '0x' || encode(id, 'hex') as block_id, timestamp, tx_count
from raw.blocks
order by height desc
limit 1`,
  },
  {
    questions: ['How many transactions were there each day?', '每天的交易数量是多少？'],
    sql: `select day, tx_count, failed_tx_count, active_account_count
from app.daily_stats
order by day desc
limit 30`,
  },
  {
    questions: ['Give me an overview of the last days', '最近几天的链上概况'],
    sql: `select day, tx_count, failed_tx_count, active_account_count, new_account_count,
  ft_transfer_count, swap_count, evm_execution_count, fees
from analytics.daily_metrics
order by day desc
limit 7`,
  },
  {
    questions: ['How many transactions are indexed in all, and how many of them failed?'],
    sql: `select sum(tx_count) as transactions, sum(failed_tx_count) as failed,
  sum(system_tx_count) as of_the_chain_itself
from app.daily_stats`,
  },
  {
    questions: ["What share of users' transactions fails, by day?", '每天失败交易的比例是多少？'],
    sql: `select day, failed_tx_count, tx_count - system_tx_count as user_tx_count,
  round(100.0 * failed_tx_count / nullif(tx_count - system_tx_count, 0), 2) as failed_percent
from app.daily_stats
order by day desc
limit 30`,
  },
  {
    questions: ['Which hours of the newest day were the busiest?'],
    sql: `select day, hour, tx_count, event_count
from app.hourly_stats
where day = (select max(day) from app.hourly_stats)
order by tx_count desc, hour
limit 24`,
  },
  {
    questions: ['Transactions by day with a moving average of seven days', '交易数量的七天移动平均'],
    sql: `select day, tx_count,
  round(avg(tx_count) over (order by day rows between 6 preceding and current row), 1) as average_of_7_days
from app.daily_stats
order by day desc
limit 60`,
  },
  {
    questions: ['Show the latest 20 transactions of users'],
    sql: `select t.block_height, '0x' || encode(t.id, 'hex') as transaction_id,
  t.payer_address, t.status_code, b.timestamp
from raw.transactions t
join raw.blocks b on b.height = t.block_height
where t.payer_address is not null
  and t.block_height > (select max(height) from raw.blocks) - 1000
order by t.block_height desc, t.tx_index desc
limit 20`,
  },
  {
    questions: ['What are the latest failed transactions and their errors?', '最近失败的交易以及错误原因'],
    sql: `select t.block_height, '0x' || encode(t.id, 'hex') as transaction_id,
  t.payer_address, left(t.error_message, 200) as error
from raw.transactions t
where t.status_code = 1
order by t.block_height desc, t.tx_index desc
limit 20`,
  },
  {
    questions: ['哪些错误代码最常见？', 'Which error codes are the most frequent among recent failures?'],
    sql: `select substring(error_message from 'Error Code: (\\d+)') as error_code, count(*) as failures
from raw.transactions
where status_code = 1 and block_height > (select max(height) from raw.blocks) - 100000
group by error_code
order by failures desc, error_code
limit 20`,
  },
  {
    questions: ['Which transactions emitted the most events in the last 1000 blocks?'],
    sql: `select block_height, '0x' || encode(id, 'hex') as transaction_id, event_count
from raw.transactions
where block_height > (select max(height) from raw.blocks) - 1000
order by event_count desc, block_height desc, tx_index
limit 10`,
  },
  {
    questions: ['How much FLOW was paid in fees each day?', '每天支付了多少手续费？'],
    sql: `select day, fees as fees_in_flow,
  round(fees / nullif(tx_count - system_tx_count, 0), 8) as fee_of_a_transaction
from app.daily_stats
order by day desc
limit 30`,
  },
  {
    questions: ['Median and 95th percentile of the computation that transactions used in the last 1000 blocks'],
    sql: `select percentile_cont(0.5) within group (order by gas_used) as median,
  percentile_cont(0.95) within group (order by gas_used) as p95, count(*) as transactions
from app.tx_metrics
where block_height > (select max(height) from raw.blocks) - 1000`,
  },
  {
    questions: ['过去一千个区块的平均出块时间是多少？', 'What was the average block time over the last 1000 blocks?'],
    sql: `select round(extract(epoch from max(timestamp) - min(timestamp)) / nullif(count(*) - 1, 0), 3) as seconds
from raw.blocks
where height > (select max(height) from raw.blocks) - 1000`,
  },
  {
    questions: ['What kinds of transactions were there in the last 10,000 blocks?', '最近的交易都是什么类型？'],
    sql: `select tag, sum(cardinality(tx_indexes)) as transactions
from app.tx_tags
where block_height > (select max(height) from raw.blocks) - 10000
group by tag
order by transactions desc, tag`,
  },
  {
    questions: ['Which day had the most transactions?'],
    sql: `select day, tx_count
from app.daily_stats
order by tx_count desc, day
limit 1`,
  },
]
