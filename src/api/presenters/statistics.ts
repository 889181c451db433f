import { z } from 'zod'
import { dayFormat } from '../parameters/day-range.ts'
import { amountFormat, countFormat, heightFormat, timestampFormat } from '../formats/formats.ts'

/** Lengths of time by which the chain's numbers can be had. */
export const timescales = ['hourly', 'daily', 'weekly', 'monthly'] as const
export type Timescale = (typeof timescales)[number]

/** The numbers of the chain in one hour, day, week or month. */
export const periodSchema = z
  .strictObject({
    date: dayFormat.describe('First day of the period, UTC.'),
    timestamp: timestampFormat.describe('Begin of the period.'),
    block_count: countFormat.describe('Blocks that are indexed.'),
    tx_count: countFormat.describe('Transactions, system transactions included.'),
    system_tx_count: countFormat.describe('Those that the chain made itself, scheduled ones included.'),
    evm_tx_count: countFormat.describe('Transactions that executed EVM transactions.'),
    failed_tx_count: countFormat.describe('Transactions of users that failed.'),
    event_count: countFormat,
    total_gas_used: countFormat.describe('Computation used.'),
    fees: amountFormat.describe('Fees that were deducted, in FLOW.'),
    ft_transfers: countFormat.describe('Movements of fungible tokens, fees aside.'),
    nft_transfers: countFormat.describe('Movements of items of collections.'),
    active_accounts: countFormat
      .nullable()
      .describe(
        'Accounts that proposed, paid for or authorized a transaction. Accounts are told apart within a day: for other periods this is null.',
      ),
    daily_active_accounts: z
      .number()
      .min(0)
      .nullable()
      .describe('The same of a day with blocks, in the mean of the period, 2 decimals; null for hours.'),
    new_accounts: countFormat.describe('Accounts that were created.'),
    new_contracts: countFormat.describe('Contracts that were deployed.'),
  })
  .meta({ id: 'PeriodNumbers' })
export type Period = z.output<typeof periodSchema>

/** What is stored of the chain. */
export const chainNumbersSchema = z
  .strictObject({
    min_height: heightFormat.nullable().describe('Lowest stored height; null while nothing is stored.'),
    max_height: heightFormat.nullable().describe('Highest stored height; null while nothing is stored.'),
    block_count: countFormat.describe('Stored blocks, exact.'),
    tx_count: countFormat.describe('Their transactions, exact.'),
    event_count: countFormat.describe('Their events, exact.'),
  })
  .meta({ id: 'ChainNumbers' })
export type ChainNumbers = z.output<typeof chainNumbersSchema>

/** The same in the words of another route. */
export const chainCountsSchema = z
  .strictObject({
    block_count: countFormat.describe('Stored blocks, exact.'),
    transaction_count: countFormat.describe('Their transactions, exact.'),
    max_height: heightFormat.nullable().describe('Highest stored height; null while nothing is stored.'),
  })
  .meta({ id: 'ChainCounts' })

/** A period as it is read. */
export const periodRow = z.object({
  date: z.string(),
  timestamp: z.string(),
  block_count: z.number(),
  tx_count: z.number(),
  system_tx_count: z.number(),
  evm_tx_count: z.number(),
  failed_tx_count: z.number(),
  event_count: z.number(),
  total_gas_used: z.number(),
  fees: z.string(),
  ft_transfers: z.number(),
  nft_transfers: z.number(),
  new_accounts: z.number(),
  new_contracts: z.number(),
  day_count: z.number(),
  accounts_of_days: z.number(),
})
export type PeriodRow = z.output<typeof periodRow>

export function presentPeriod(
  { day_count: days, accounts_of_days: accounts, ...numbers }: PeriodRow,
  timescale: Timescale,
): Period {
  return {
    ...numbers,
    active_accounts: timescale === 'daily' ? accounts : null,
    daily_active_accounts: timescale === 'hourly' ? null : Math.round((accounts / days) * 100) / 100,
  }
}
