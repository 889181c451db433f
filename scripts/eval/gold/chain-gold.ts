import type { GoldQuestion } from './gold-question.ts'

const target = 'indexer'

/** About blocks, transactions, fees and days. */
export const chainGold: readonly GoldQuestion[] = [
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
]
