import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { countFormat, amountFormat, pickFields } from '../formats.ts'
import type { MeasureName } from '../../measures/measures.ts'
import { seriesSql } from '../../measures/series.ts'
import { listOf, wholeList } from '../paging/pages.ts'
import { dayFormat, dayRangeParameters, resolveDays } from '../parameters.ts'
import type { DayRange } from '../parameters.ts'
import { defineRoute } from '../route.ts'

const daysRow = z.object({ from: z.string().nullable(), to: z.string().nullable() })

export async function readIndexedDays(database: DatabasePool): Promise<DayRange | undefined> {
  const { from, to } = await database.one(sql.type(daysRow)`
    select min(day)::text as from, max(day)::text as to from app.hourly_stats
  `)
  return from === null || to === null ? undefined : { from, to }
}

/** The SQL of the metrics that clients can read and run themselves. */
export function seriesFragment(...series: Parameters<typeof seriesSql>): FragmentSqlToken {
  return textFragment(seriesSql(...series))
}

/** @param text of `src/measures`, which checks the days and keys in it */
export function textFragment(text: string): FragmentSqlToken {
  return { ...sql.fragment``, sql: text }
}

/**
 * Includes days without blocks. A day belongs to the last epoch that ran on it; an epoch without an
 * indexed end lasts until its target end, or until now.
 */
export async function readDailyNumbers(
  database: DatabasePool,
  { from, to }: DayRange,
): Promise<readonly DailyNumbersRow[]> {
  return database.any(sql.type(dailyNumbersRow)`
    with numbers as (${seriesFragment(dailyMeasures, { days: { from, to } })}), lasted as (
      select epoch, (start_time at time zone 'UTC')::date as first_day,
        (coalesce(end_time, greatest(target_end_time, start_time), 'infinity') at time zone 'UTC')::date as last_day
      from app.epoch_stats
      where start_time is not null
    ), epochs as (
      select day::date as day, max(e.epoch) as epoch
      from lasted e cross join lateral generate_series(
        greatest(e.first_day, ${from}::date), least(e.last_day, ${to}::date), interval '1 day'
      ) as day
      where e.first_day <= ${to}::date and e.last_day >= ${from}::date
      group by 1
    )
    select n.*, n.period::text as day, n.fees::text as fees, n.epoch_payout_total::text as epoch_payout_total,
      case when n.indexed_days > 0 then e.epoch end as epoch
    from numbers n
    left join epochs e on e.day = n.period
    order by n.period
  `)
}

const transfersRow = z.object({ day: z.string(), ft_transfers: z.number(), nft_transfers: z.number() })

/** Includes days without blocks. */
export async function readDailyTransfers(
  database: DatabasePool,
  days: DayRange,
): Promise<readonly z.output<typeof transfersRow>[]> {
  return database.any(sql.type(transfersRow)`
    select period::text as day, ft_transfers, nft_transfers
    from (${seriesFragment(['ft_transfers', 'nft_transfers'], { days })}) as numbers
    order by period
  `)
}

const parts = {
  accounts: {
    active_accounts: countFormat.describe('Accounts that proposed, paid for or authorized a transaction.'),
    new_accounts: countFormat.describe('Created accounts.'),
    coa_new_accounts: countFormat.describe('Created COAs.'),
  },
  evm: {
    evm_tx_count: countFormat.describe('Transactions that executed EVM transactions.'),
    evm_execution_count: countFormat.describe('Executed EVM transactions; a transaction may contain several.'),
    evm_failed_count: countFormat.describe('Failed EVM transactions.'),
    evm_gas_used: countFormat.describe('Gas used by EVM transactions.'),
    evm_active_addresses: countFormat.describe('Senders and receivers of EVM transactions.'),
  },
  defi: {
    defi_swap_count: countFormat.describe('Swaps.'),
    defi_unique_traders: countFormat.describe('Accounts with a swap.'),
  },
  epoch: {
    epoch: z.int().nullable().describe('Last epoch of the day; null if unknown.'),
    epoch_payout_total: amountFormat.describe('Rewards paid to nodes and delegators, in FLOW.'),
  },
  bridge: {
    bridge_to_evm_txs: countFormat.describe('Transactions that moved FLOW, tokens or NFTs into EVM.'),
    bridge_from_evm_txs: countFormat.describe('Transactions that moved FLOW, tokens or NFTs out of EVM.'),
  },
  contracts: {
    new_contracts: countFormat.describe('Deployed contracts.'),
    contract_updates: countFormat.describe('Updated contracts.'),
  },
}

const modules = ['accounts', 'evm', 'defi', 'epoch', 'bridge', 'contracts'] as const
type Module = (typeof modules)[number]

const dailyNumbersSchema = z
  .strictObject({
    date: dayFormat,
    block_count: countFormat.describe('Indexed blocks.'),
    tx_count: countFormat.describe('Transactions, including system transactions.'),
    system_tx_count: countFormat.describe('System transactions, including scheduled transactions.'),
    cadence_tx_count: countFormat.describe('Transactions without EVM transactions.'),
    failed_tx_count: countFormat.describe('Failed user transactions.'),
    error_rate: z.number().min(0).describe('Failed user transactions in percent, 2 decimals.'),
    event_count: countFormat,
    total_gas_used: countFormat.describe('Computation used.'),
    avg_gas_per_tx: z.number().min(0).describe('Mean computation per transaction, 2 decimals.'),
    fees: amountFormat.describe('Deducted fees in FLOW.'),
    ft_transfers: countFormat.describe('Fungible token transfers, excluding fees.'),
    nft_transfers: countFormat.describe('NFT transfers.'),
    ...parts.accounts,
    ...parts.evm,
    ...parts.defi,
    ...parts.epoch,
    ...parts.bridge,
    ...parts.contracts,
  })
  .meta({ id: 'DailyNumbers' })
export type DailyNumbers = z.output<typeof dailyNumbersSchema>

const moduleNumbersSchema = z.union([
  z.strictObject({ date: dayFormat, ...parts.accounts }).meta({ id: 'DailyAccountNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.evm }).meta({ id: 'DailyEvmNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.defi }).meta({ id: 'DailyDefiNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.epoch }).meta({ id: 'DailyEpochNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.bridge }).meta({ id: 'DailyBridgeNumbers' }),
  z.strictObject({ date: dayFormat, ...parts.contracts }).meta({ id: 'DailyContractNumbers' }),
])
type ModuleNumbers = z.output<typeof moduleNumbersSchema>

const dailyMeasures = [
  'indexed_days',
  'block_count',
  'tx_count',
  'system_tx_count',
  'cadence_tx_count',
  'failed_tx_count',
  'event_count',
  'total_gas_used',
  'fees',
  'ft_transfers',
  'nft_transfers',
  'active_accounts',
  'new_accounts',
  'coa_new_accounts',
  'evm_tx_count',
  'evm_execution_count',
  'evm_failed_count',
  'evm_gas_used',
  'evm_active_addresses',
  'defi_swap_count',
  'defi_unique_traders',
  'epoch_payout_total',
  'bridge_to_evm_txs',
  'bridge_from_evm_txs',
  'new_contracts',
  'contract_updates',
] as const satisfies readonly MeasureName[]

const dailyNumbersRow = dailyNumbersSchema
  .omit({ date: true, error_rate: true, avg_gas_per_tx: true })
  .extend({ day: z.string() })
  .strip()
type DailyNumbersRow = z.output<typeof dailyNumbersRow>

function presentDailyNumbers({ day, ...numbers }: DailyNumbersRow): DailyNumbers {
  return pickFields(dailyNumbersSchema, {
    ...numbers,
    date: day,
    error_rate: percentOf(numbers.failed_tx_count, numbers.tx_count - numbers.system_tx_count),
    avg_gas_per_tx: ratioOf(numbers.total_gas_used, numbers.tx_count),
  })
}

function presentModuleNumbers(module: Module, row: DailyNumbersRow): ModuleNumbers {
  const fields = Object.keys(parts[module]) as (keyof DailyNumbersRow)[]
  return { date: row.day, ...Object.fromEntries(fields.map((name) => [name, row[name]])) } as ModuleNumbers
}

/** 0 if `whole` is 0. */
function percentOf(part: number, whole: number): number {
  return ratioOf(part * 100, whole)
}

/** 2 decimals; 0 if `count` is 0. */
function ratioOf(total: number, count: number): number {
  return count === 0 ? 0 : Math.round((total / count) * 100) / 100
}

/** Three years: about 26,000 hours. */
const span = { default: 90, max: 1100 }

const everyDay =
  'One row per UTC day, earliest first, from the first to the last indexed day, including days without indexed ' +
  'blocks. The first and the last day may be incomplete.'

const exampleDay: DailyNumbers = {
  date: '2025-07-01',
  block_count: 107912,
  tx_count: 722410,
  system_tx_count: 229004,
  cadence_tx_count: 497333,
  failed_tx_count: 20231,
  error_rate: 4.1,
  event_count: 5290771,
  total_gas_used: 61233045,
  avg_gas_per_tx: 84.76,
  fees: '4321.77012400',
  ft_transfers: 310225,
  nft_transfers: 80114,
  active_accounts: 21907,
  new_accounts: 3120,
  coa_new_accounts: 811,
  evm_tx_count: 225077,
  evm_execution_count: 240002,
  evm_failed_count: 911,
  evm_gas_used: 48000210004,
  evm_active_addresses: 9120,
  defi_swap_count: 15210,
  defi_unique_traders: 702,
  epoch: 254,
  epoch_payout_total: '0.00000000',
  bridge_to_evm_txs: 4012,
  bridge_from_evm_txs: 1200,
  new_contracts: 14,
  contract_updates: 9,
}

const daily = defineRoute({
  path: '/insights/daily',
  operationId: 'listDailyNumbers',
  cost: 'high',
  tag: 'Insights',
  summary: 'Daily statistics',
  description: everyDay,
  query: z.object(dayRangeParameters(span)),
  response: listOf(dailyNumbersSchema, 'DailyNumbers'),
  example: wholeList([exampleDay]),
  handler: async ({ query }, { database }) => {
    const days = resolveDays(query, await readIndexedDays(database), span)
    const rows = days === undefined ? [] : await readDailyNumbers(database, days)
    return { body: wholeList(rows.map(presentDailyNumbers)), caching: 'minute' }
  },
})

const dailyOfModule = defineRoute({
  path: '/insights/daily/module/{module}',
  operationId: 'listDailyNumbersOfModule',
  cost: 'high',
  tag: 'Insights',
  summary: 'Daily statistics of one module',
  description: everyDay,
  params: z.object({
    module: z.enum(modules, `must be one of ${modules.join(', ')}`).describe('Module.'),
  }),
  query: z.object(dayRangeParameters(span)),
  response: listOf(moduleNumbersSchema, 'DailyModuleNumbers'),
  example: wholeList([{ date: '2025-07-01', bridge_to_evm_txs: 4012, bridge_from_evm_txs: 1200 }]),
  handler: async ({ params: { module }, query }, { database }) => {
    const days = resolveDays(query, await readIndexedDays(database), span)
    const rows = days === undefined ? [] : await readDailyNumbers(database, days)
    return { body: wholeList(rows.map((row) => presentModuleNumbers(module, row))), caching: 'minute' }
  },
})

const dailyTransfersSchema = z
  .strictObject({
    date: dayFormat,
    ft_transfers: countFormat.describe('Fungible token transfers, excluding fees.'),
    nft_transfers: countFormat.describe('NFT transfers.'),
  })
  .meta({ id: 'DailyTransfers' })

const dailyTransfers = defineRoute({
  path: '/insights/transfers/daily',
  operationId: 'listDailyTransfers',
  cost: 'high',
  tag: 'Insights',
  summary: 'Daily transfers',
  description: everyDay,
  query: z.object(dayRangeParameters(span)),
  response: listOf(dailyTransfersSchema, 'DailyTransfers'),
  example: wholeList([{ date: '2025-07-01', ft_transfers: 310225, nft_transfers: 80114 }]),
  handler: async ({ query }, { database }) => {
    const days = resolveDays(query, await readIndexedDays(database), span)
    const rows = days === undefined ? [] : await readDailyTransfers(database, days)
    const data = rows.map(({ day, ...transfers }) => ({ date: day, ...transfers }))
    return { body: wholeList(data), caching: 'minute' }
  },
})

export const insightRoutes = [daily, dailyOfModule, dailyTransfers]
