import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import { amountFormat, countFormat, heightFormat, multiplyDecimals, timestampFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { newestEventFirst, readEventPage, withinEvents } from '../paging/event-pages.ts'
import { singleOf } from '../paging/pages.ts'
import { sharedRead } from '../paging/shared-read.ts'
import { defineRoute } from '../route.ts'
import { readNewestPrice } from '../tokens/prices.ts'
import { attoflow } from './account-state.ts'
import { describeEvmAddresses } from './queries.ts'
import { exampleEvmToken, exampleEvmTransaction } from './schema.ts'
import { evmPartySchema, presentEvmParty } from './token-schema.ts'

const maxTransactions = 2000
const maxBlocks = 30
const maxContracts = 10
const maxDays = 30

/** Gas of a transaction without input. Source: Ethereum yellow paper, appendix G. */
const transferGas = 21_000

const actions = ['flow_transfer', 'token_transfer', 'nft_transfer', 'contract_creation'] as const
type Action = (typeof actions)[number]

const gasRow = z.object({
  block_height: z.number(),
  timestamp: z.string(),
  number: z.number(),
  evm_to: z.string().nullable(),
  contract_address: z.string().nullable(),
  gas_used: z.number(),
  gas_price: z.string().nullable(),
  moved: z.number().nullable(),
})
type GasRow = z.output<typeof gasRow>

/**
 * Latest first. Flow EVM has no base fee, so dynamic fees pay the lower of both caps. `moved`: standard
 * of the only token transfer.
 */
export async function readGasOfTransactions(
  database: DatabasePool,
  bounds: Bounds | undefined,
  count: number,
): Promise<readonly GasRow[]> {
  return readEventPage<GasRow>(bounds, undefined, count, (span) =>
    database.any(sql.type(gasRow)`
      select h.block_height, b.timestamp, t.evm_block_height as number, h.evm_to, t.contract_address,
        h.evm_gas_used as gas_used,
        coalesce(t.gas_price, least(t.max_fee_per_gas, t.max_priority_fee_per_gas))::text as gas_price, m.moved
      from (
        select block_height, tx_index, event_index, evm_to, evm_gas_used from app.evm_tx_hashes
        where ${withinEvents(span)} order by ${newestEventFirst} limit ${span.count}
      ) h
      join app.evm_transactions t on t.block_height = h.block_height and t.tx_index = h.tx_index
        and t.event_index = h.event_index and t.block_height between ${span.low} and ${span.high}
      join raw.blocks b on b.height = h.block_height and b.height between ${span.low} and ${span.high}
      left join lateral (
        select min(one.standard) as moved from (
          select m.standard from app.evm_token_transfers m
          where m.block_height = h.block_height and m.tx_index = h.tx_index and m.event_index = h.event_index
            and m.block_height between ${span.low} and ${span.high}
          limit 2
        ) one having count(*) = 1
      ) m on true
      order by h.block_height desc, h.tx_index desc, h.event_index desc
    `),
  )
}

const dayRow = z.object({ date: z.string(), transaction_count: z.number(), gas_used: z.number() })

/** Oldest first. */
export async function readGasOfDays(
  database: DatabasePool,
  count: number,
): Promise<readonly z.output<typeof dayRow>[]> {
  const rows = await database.any(sql.type(dayRow)`
    select day::text as date, evm_execution_count as transaction_count, evm_gas_used as gas_used
    from app.daily_analytics order by day desc limit ${count}
  `)
  return rows.toReversed()
}

const readGas = sharedRead(async (database: DatabasePool) => {
  const [rows, days] = await Promise.all([
    readGasOfTransactions(database, await readBounds(database), maxTransactions),
    readGasOfDays(database, maxDays),
  ])
  return { rows, days }
})

/** Nearest rank. */
function percentile<Value extends number | bigint>(sorted: readonly Value[], part: number): Value | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)]
}

const ascending = <Value extends number | bigint>(a: Value, b: Value): number => (a < b ? -1 : a > b ? 1 : 0)

function actionOf({ contract_address: created, gas_used: gas, moved }: GasRow): Action | undefined {
  if (created !== null) return 'contract_creation'
  if (gas === transferGas) return 'flow_transfer'
  return moved === null ? undefined : moved === 20 ? 'token_transfer' : 'nft_transfer'
}

function gasOfAction(rows: readonly GasRow[], action: Action): number | null {
  if (action === 'flow_transfer') return transferGas
  const gas = rows.filter((row) => actionOf(row) === action).map((row) => row.gas_used)
  return percentile(gas.toSorted(ascending), 0.5) ?? null
}

interface GasSum {
  transactions: number
  gas: number
}

function sumBy<Key>(rows: readonly GasRow[], keyOf: (row: GasRow) => Key): ReadonlyMap<Key, GasSum> {
  const sums = new Map<Key, GasSum>()
  for (const row of rows) {
    const sum = sums.get(keyOf(row)) ?? { transactions: 0, gas: 0 }
    sums.set(keyOf(row), { transactions: sum.transactions + 1, gas: sum.gas + row.gas_used })
  }
  return sums
}

const price = amountFormat.nullable().describe('In attoflow, 10^-18 FLOW; null without signed transactions.')

const evmGasSchema = z
  .strictObject({
    gas_price: z
      .strictObject({ low: price, median: price, high: price })
      .describe('10th, 50th and 90th percentile of signed transactions. Unsigned calls of COAs pay Flow fees instead.'),
    flow_price: amountFormat.nullable().describe('Current price of FLOW in US dollars; null if unknown.'),
    transaction_count: countFormat.describe(`Transactions that were read: the latest ${maxTransactions}, or all.`),
    signed_transaction_count: countFormat,
    gas_used: amountFormat,
    since: timestampFormat.nullable().describe('Time of the first one; null without transactions.'),
    until: timestampFormat.nullable(),
    actions: z.array(
      z.strictObject({
        action: z.enum(actions),
        gas: amountFormat.nullable().describe('Median of these transactions; FLOW transfers use 21,000.'),
        fee_flow: amountFormat.nullable().describe('At the median gas price.'),
        fee_usd: amountFormat.nullable(),
      }),
    ),
    blocks: z
      .array(
        z.strictObject({
          number: heightFormat.describe('EVM block number.'),
          block_height: heightFormat.describe('Flow block.'),
          transaction_count: countFormat,
          gas_used: amountFormat,
        }),
      )
      .describe(`The latest ${maxBlocks} EVM blocks with transactions, newest first.`),
    contracts: z
      .array(
        z.strictObject({
          address: evmPartySchema,
          transaction_count: countFormat,
          gas_used: amountFormat,
          share: z.number().min(0).max(1).describe('Part of gas_used.'),
        }),
      )
      .describe(`The ${maxContracts} with the most gas.`),
    days: z
      .array(z.strictObject({ date: z.iso.date(), transaction_count: countFormat, gas_used: amountFormat }))
      .describe(`The latest ${maxDays} days with indexed blocks, oldest first.`),
  })
  .meta({ id: 'EvmGas' })

const exampleParty = { hash: exampleEvmToken.address, name: 'Wrapped Flow', is_contract: true, flow_address: null }

const evmGas = defineRoute({
  path: '/flow/evm/gas',
  operationId: 'getEvmGas',
  tag: 'EVM',
  summary: 'Gas prices, fees and gas use of the EVM',
  response: singleOf(evmGasSchema, 'EvmGas'),
  example: {
    data: [
      {
        gas_price: { low: '100000000', median: '100000000', high: '1000000000' },
        flow_price: '0.3512',
        transaction_count: 2000,
        signed_transaction_count: 1402,
        gas_used: '184210337',
        since: '2026-01-05T12:00:00.000Z',
        until: exampleEvmTransaction.timestamp,
        actions: [{ action: 'flow_transfer', gas: '21000', fee_flow: '0.0000021', fee_usd: '0.00000073752' }],
        blocks: [
          {
            number: exampleEvmTransaction.block_number,
            block_height: exampleEvmTransaction.block_height,
            transaction_count: 1,
            gas_used: exampleEvmTransaction.gas_used,
          },
        ],
        contracts: [{ address: exampleParty, transaction_count: 311, gas_used: '15924444', share: 0.0864 }],
        days: [{ date: '2026-01-05', transaction_count: 81_020, gas_used: '7420113558' }],
      },
    ],
  },
  handler: async (_input, { database, network }) => {
    const flow = `A.${coreContracts(network()).flowToken}.FlowToken`
    const [{ rows, days }, flowPrice] = await Promise.all([readGas(database), readNewestPrice(database, flow)])
    const prices = rows.flatMap((row) => (row.gas_price === null ? [] : [BigInt(row.gas_price)])).toSorted(ascending)
    const priceAt = (part: number): string | null => percentile(prices, part)?.toString() ?? null
    const median = priceAt(0.5)
    const total = rows.reduce((sum, row) => sum + row.gas_used, 0)
    const blocks = [...sumBy(rows, (row) => row.number)]
    const heights = new Map(rows.map((row) => [row.number, row.block_height]))
    const contracts = [
      ...sumBy(
        rows.filter((row) => row.gas_used !== transferGas),
        (row) => row.contract_address ?? row.evm_to,
      ),
    ]
      .flatMap(([address, sum]) => (address === null ? [] : [{ address, ...sum }]))
      .toSorted((a, b) => b.gas - a.gas || ascending(BigInt(`0x${a.address}`), BigInt(`0x${b.address}`)))
      .slice(0, maxContracts)
    const directory = await describeEvmAddresses(
      database,
      contracts.map(({ address }) => address),
    )
    return {
      body: {
        data: [
          {
            gas_price: { low: priceAt(0.1), median, high: priceAt(0.9) },
            flow_price: flowPrice,
            transaction_count: rows.length,
            signed_transaction_count: prices.length,
            gas_used: String(total),
            since: rows.at(-1)?.timestamp ?? null,
            until: rows[0]?.timestamp ?? null,
            actions: actions.map((action) => {
              const gas = gasOfAction(rows, action)
              const fee =
                gas === null || median === null
                  ? null
                  : multiplyDecimals(String(BigInt(median) * BigInt(gas)), attoflow)
              return {
                action,
                gas: gas === null ? null : String(gas),
                fee_flow: fee,
                fee_usd: fee === null || flowPrice === null ? null : multiplyDecimals(fee, flowPrice),
              }
            }),
            // The oldest block may be incomplete.
            blocks: (rows.length < maxTransactions ? blocks : blocks.slice(0, -1))
              .slice(0, maxBlocks)
              .map(([number, { transactions, gas }]) => ({
                number,
                block_height: heights.get(number) ?? 0,
                transaction_count: transactions,
                gas_used: String(gas),
              })),
            contracts: contracts.map(({ address, transactions, gas }) => ({
              address: presentEvmParty(address, directory),
              transaction_count: transactions,
              gas_used: String(gas),
              share: total === 0 ? 0 : gas / total,
            })),
            days: days.map((day) => ({ ...day, gas_used: String(day.gas_used) })),
          },
        ],
      },
    }
  },
})

export const evmGasRoutes = [evmGas]
