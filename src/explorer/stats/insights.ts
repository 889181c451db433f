import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { countFormat, amountFormat } from '../formats.ts'
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

/**
 * Includes days without blocks. A day belongs to the last epoch that ran on it; an epoch without an
 * indexed end lasts until its target end, or until now.
 */
export async function readDailyNumbers(
  database: DatabasePool,
  { from, to }: DayRange,
): Promise<readonly DailyNumbersRow[]> {
  return database.any(sql.type(dailyNumbersRow)`
    with days as (
      select day::date as day from generate_series(${from}::date, ${to}::date, interval '1 day') as day
    ), stats as (
      select * from app.daily_stats where day between ${from}::date and ${to}::date
    ), actors as (
      select day, sum(actor_count) filter (where kind = 'evm') as evm_addresses,
        sum(actor_count) filter (where kind = 'trader') as traders
      from app.daily_actor_counts where day between ${from}::date and ${to}::date
      group by day
    ), lasted as (
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
    select d.day::text as day, coalesce(s.block_count, 0) as block_count, coalesce(s.tx_count, 0) as tx_count,
      coalesce(s.system_tx_count, 0) as system_tx_count, coalesce(s.failed_tx_count, 0) as failed_tx_count,
      coalesce(s.evm_tx_count, 0) as evm_tx_count, coalesce(s.event_count, 0) as event_count,
      coalesce(s.gas_used, 0) as gas_used, coalesce(s.fees, 0.00000000)::text as fees,
      coalesce(s.ft_transfer_count, 0) as ft_transfer_count, coalesce(s.nft_transfer_count, 0) as nft_transfer_count,
      coalesce(s.new_account_count, 0) as new_account_count, coalesce(s.new_coa_count, 0) as new_coa_count,
      coalesce(s.new_contract_count, 0) as new_contract_count,
      coalesce(s.contract_update_count, 0) as contract_update_count,
      coalesce(s.active_account_count, 0) as active_account_count,
      coalesce(a.evm_execution_count, 0) as evm_execution_count, coalesce(a.evm_failed_count, 0) as evm_failed_count,
      coalesce(a.evm_gas_used, 0) as evm_gas_used, coalesce(a.swap_count, 0) as swap_count,
      coalesce(a.bridge_to_evm_tx_count, 0) as bridge_to_evm_tx_count,
      coalesce(a.bridge_from_evm_tx_count, 0) as bridge_from_evm_tx_count,
      coalesce(a.epoch_payout, 0.00000000)::text as epoch_payout, coalesce(c.evm_addresses, 0)::bigint as
      evm_address_count,
      coalesce(c.traders, 0)::bigint as trader_count, case when s.day is not null then e.epoch end as epoch
    from days d
    left join stats s on s.day = d.day
    left join app.daily_analytics a on a.day = d.day and a.day between ${from}::date and ${to}::date
    left join actors c on c.day = d.day
    left join epochs e on e.day = d.day
    order by d.day
  `)
}

const transfersRow = z.object({ day: z.string(), ft_transfer_count: z.number(), nft_transfer_count: z.number() })

/** Includes days without blocks. */
export async function readDailyTransfers(
  database: DatabasePool,
  { from, to }: DayRange,
): Promise<readonly z.output<typeof transfersRow>[]> {
  return database.any(sql.type(transfersRow)`
    select d.day::date::text as day, coalesce(sum(h.ft_transfer_count), 0)::bigint as ft_transfer_count,
      coalesce(sum(h.nft_transfer_count), 0)::bigint as nft_transfer_count
    from generate_series(${from}::date, ${to}::date, interval '1 day') as d (day)
    left join app.hourly_stats h on h.day = d.day::date and h.day between ${from}::date and ${to}::date
    group by d.day
    order by d.day
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

const dailyNumbersRow = z.object({
  day: z.string(),
  block_count: z.number(),
  tx_count: z.number(),
  system_tx_count: z.number(),
  failed_tx_count: z.number(),
  evm_tx_count: z.number(),
  event_count: z.number(),
  gas_used: z.number(),
  fees: z.string(),
  ft_transfer_count: z.number(),
  nft_transfer_count: z.number(),
  new_account_count: z.number(),
  new_coa_count: z.number(),
  new_contract_count: z.number(),
  contract_update_count: z.number(),
  active_account_count: z.number(),
  evm_execution_count: z.number(),
  evm_failed_count: z.number(),
  evm_gas_used: z.number(),
  swap_count: z.number(),
  bridge_to_evm_tx_count: z.number(),
  bridge_from_evm_tx_count: z.number(),
  epoch_payout: z.string(),
  evm_address_count: z.number(),
  trader_count: z.number(),
  epoch: z.number().nullable(),
})
type DailyNumbersRow = z.output<typeof dailyNumbersRow>

function presentDailyNumbers(row: DailyNumbersRow): DailyNumbers {
  return {
    date: row.day,
    block_count: row.block_count,
    tx_count: row.tx_count,
    system_tx_count: row.system_tx_count,
    cadence_tx_count: row.tx_count - row.evm_tx_count,
    failed_tx_count: row.failed_tx_count,
    error_rate: percentOf(row.failed_tx_count, row.tx_count - row.system_tx_count),
    event_count: row.event_count,
    total_gas_used: row.gas_used,
    avg_gas_per_tx: ratioOf(row.gas_used, row.tx_count),
    fees: row.fees,
    ft_transfers: row.ft_transfer_count,
    nft_transfers: row.nft_transfer_count,
    ...moduleFields.accounts(row),
    ...moduleFields.evm(row),
    ...moduleFields.defi(row),
    ...moduleFields.epoch(row),
    ...moduleFields.bridge(row),
    ...moduleFields.contracts(row),
  }
}

function presentModuleNumbers(module: Module, row: DailyNumbersRow): ModuleNumbers {
  return { date: row.day, ...moduleFields[module](row) }
}

type PartOf<M extends Module> = z.output<z.ZodObject<(typeof parts)[M]>>

const moduleFields: { readonly [M in Module]: (row: DailyNumbersRow) => PartOf<M> } = {
  accounts: (row) => ({
    active_accounts: row.active_account_count,
    new_accounts: row.new_account_count,
    coa_new_accounts: row.new_coa_count,
  }),
  evm: (row) => ({
    evm_tx_count: row.evm_tx_count,
    evm_execution_count: row.evm_execution_count,
    evm_failed_count: row.evm_failed_count,
    evm_gas_used: row.evm_gas_used,
    evm_active_addresses: row.evm_address_count,
  }),
  defi: (row) => ({ defi_swap_count: row.swap_count, defi_unique_traders: row.trader_count }),
  epoch: (row) => ({ epoch: row.epoch, epoch_payout_total: row.epoch_payout }),
  bridge: (row) => ({
    bridge_to_evm_txs: row.bridge_to_evm_tx_count,
    bridge_from_evm_txs: row.bridge_from_evm_tx_count,
  }),
  contracts: (row) => ({ new_contracts: row.new_contract_count, contract_updates: row.contract_update_count }),
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
    const data = rows.map((row) => ({
      date: row.day,
      ft_transfers: row.ft_transfer_count,
      nft_transfers: row.nft_transfer_count,
    }))
    return { body: wholeList(data), caching: 'minute' }
  },
})

export const insightRoutes = [daily, dailyOfModule, dailyTransfers]
