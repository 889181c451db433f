import { z } from 'zod'
import { dayFormat, dayRangeParameters, resolveDays } from '../parameters/day-range.ts'
import { listOf, wholeList } from '../paging/envelope.ts'
import { countFormat } from '../formats/formats.ts'
import { noParameters } from '../parameters/parameters.ts'
import {
  dailyNumbersSchema,
  modules,
  moduleNumbersSchema,
  presentDailyNumbers,
  presentModuleNumbers,
} from '../presenters/daily-numbers.ts'
import type { DailyNumbers } from '../presenters/daily-numbers.ts'
import { readDailyNumbers, readDailyTransfers, readIndexedDays } from '../queries/daily-numbers.ts'
import { defineRoute } from '../route.ts'

/** Three years: some 26,000 hours are added up for the longest answer. */
const span = { default: 90, max: 1100 }

const everyDay =
  'One row for each day of UTC, the earliest first, from the first day with an indexed block to the last; days ' +
  'in between of which no block is indexed are in it with zeros. The first and the last day may not be whole.'

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
  summary: 'Numbers of each day',
  description: everyDay,
  params: noParameters,
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
  summary: 'Numbers of each day for one part of the chain',
  description: everyDay,
  params: z.object({
    module: z.enum(modules, `must be one of ${modules.join(', ')}`).describe('Part of the chain.'),
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
    ft_transfers: countFormat.describe('Movements of fungible tokens, fees aside.'),
    nft_transfers: countFormat.describe('Movements of items of collections.'),
  })
  .meta({ id: 'DailyTransfers' })

const dailyTransfers = defineRoute({
  path: '/insights/transfers/daily',
  operationId: 'listDailyTransfers',
  cost: 'high',
  tag: 'Insights',
  summary: 'Transfers of each day',
  description: everyDay,
  params: noParameters,
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

/** Numbers by day. */
export const insightRoutes = [daily, dailyOfModule, dailyTransfers]
