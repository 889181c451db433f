import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import { contractParts, addressFormat, amountFormat, countFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { lastPriceSql } from '../../measures/measures.ts'
import { listOf, pageUpTo } from '../paging/pages.ts'
import { cursorParameter, integerParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { findTransferKey } from '../tokens/transfer-lists.ts'
import { exampleTransaction } from '../transactions/schema.ts'
import { formatTransferCursor, transferCursorForm, transferCursorPattern } from '../transactions/queries.ts'
import { textFragment } from './insights.ts'
import { bigTransferSchema, bigTransferTypes, presentBigTransfer, listBigTransfers } from './big-transfers.ts'
import type { BigTransferType, BigTransferPage } from './big-transfers.ts'

const busyContractSchema = z
  .strictObject({
    contract_identifier: z.string().describe('`A.<address>.<name>`.'),
    contract_name: z.string(),
    address: addressFormat.describe('Account that holds the contract.'),
    tx_count: countFormat.describe('User transactions that import the contract.'),
  })
  .meta({ id: 'BusyContract' })
export type BusyContract = z.output<typeof busyContractSchema>

const tokenVolumeSchema = z
  .strictObject({
    token: z.string().describe('`A.<address>.<name>`.'),
    name: z
      .string()
      .nullable()
      .describe('Published name. Null, like symbol and logo, if not published or not read yet.'),
    symbol: z.string().nullable(),
    contract_name: z.string(),
    address: addressFormat.describe('Account that holds the contract.'),
    logo: z.string().nullable().describe('Image URL.'),
    transfer_count: countFormat.describe('Transfers, excluding fees and bridge escrow.'),
    total_amount: amountFormat.describe('Tokens transferred.'),
    usd_volume: amountFormat
      .nullable()
      .describe(
        'Value in US dollars, each day at its last price (up to 48 hours before the end of the day). Null if a price ' +
          'is missing for a day with transfers.',
      ),
  })
  .meta({ id: 'TokenVolume' })
export type TokenVolume = z.output<typeof tokenVolumeSchema>

const contractUseRow = z.object({ name: z.string(), count: z.number() })

const tokenVolumeRow = z.object({
  name: z.string(),
  count: z.number(),
  amount: z.string(),
  usd: z.string().nullable(),
  title: z.string().nullable(),
  symbol: z.string().nullable(),
  logo: z.string().nullable(),
})

function presentContractUse({ name, count }: z.output<typeof contractUseRow>): BusyContract {
  const { address, name: contractName } = contractParts(name)
  return { contract_identifier: name, contract_name: contractName, address, tx_count: count }
}

function presentTokenVolume(row: z.output<typeof tokenVolumeRow>): TokenVolume {
  const { address, name: contractName } = contractParts(row.name)
  return {
    token: row.name,
    name: row.title,
    symbol: row.symbol,
    contract_name: contractName,
    address,
    logo: row.logo,
    transfer_count: row.count,
    total_amount: row.amount,
    usd_volume: row.usd,
  }
}

const hoursNote = 'Whole UTC hours, ending with the hour of the newest indexed block.'

const hoursParameter = integerParameter(1, 720).default(24).describe(`Number of hours. ${hoursNote}`)

const busyContracts = defineRoute({
  path: '/insights/top-contracts',
  operationId: 'listBusyContracts',
  cost: 'high',
  tag: 'Insights',
  summary: 'Most used contracts',
  description: 'Top of a ranking; not paged.',
  query: z.object({ hours: hoursParameter, limit: limitParameter({ default: 10, max: 50 }) }),
  response: listOf(busyContractSchema, 'BusyContract'),
  example: pageUpTo(
    [
      {
        contract_identifier: 'A.1654653399040a61.FlowToken',
        contract_name: 'FlowToken',
        address: '0x1654653399040a61',
        tx_count: 180223,
      },
    ],
    10,
    '',
  ),
  handler: async ({ query: { hours, limit } }, { database }) => {
    const since = await firstOfLastHours(database, await readBounds(database), hours)
    const rows = since === undefined ? [] : await listBusyContracts(database, since, limit)
    return { body: pageUpTo(rows.map(presentContractUse), limit, ''), caching: 'minute' }
  },
})

const tokenVolume = defineRoute({
  path: '/insights/token-volume',
  operationId: 'listTokenVolumes',
  cost: 'high',
  tag: 'Insights',
  summary: 'Fungible tokens by volume',
  description: 'Tokens with a known US dollar volume first, then by transfer count. Top of a ranking; not paged.',
  query: z.object({ hours: hoursParameter, limit: limitParameter({ default: 10, max: 50 }) }),
  response: listOf(tokenVolumeSchema, 'TokenVolume'),
  example: pageUpTo(
    [
      {
        token: 'A.1654653399040a61.FlowToken',
        name: 'FLOW Network Token',
        symbol: 'FLOW',
        contract_name: 'FlowToken',
        address: '0x1654653399040a61',
        logo: 'https://example.org/flow.svg',
        transfer_count: 210442,
        total_amount: '18220341.11000000',
        usd_volume: '6216580.39',
      },
    ],
    10,
    '',
  ),
  handler: async ({ query: { hours, limit } }, { database }) => {
    const since = await firstOfLastHours(database, await readBounds(database), hours)
    const rows = since === undefined ? [] : await listTokenVolumes(database, since, limit)
    return { body: pageUpTo(rows.map(presentTokenVolume), limit, ''), caching: 'minute' }
  },
})

const oneType = `(${bigTransferTypes.join('|')})`
const typeList = `a comma-separated list of ${bigTransferTypes.join(', ')}`

function parseTypes(text: string | undefined): BigTransferType[] | undefined {
  return text === undefined ? undefined : bigTransferTypes.filter((type) => text.split(',').includes(type))
}

const bigTransfers = defineRoute({
  path: '/insights/big-transfers',
  operationId: 'listBigTransfers',
  cost: 'high',
  tag: 'Insights',
  summary: 'Large fungible token transfers, newest first',
  description:
    'Transfers of at least 1,000 tokens, or fewer of tokens worth thousands of dollars, with a value of at least ' +
    '`min_usd`. Before the first known price of FLOW, values are unknown and all of them are listed. Excludes fees ' +
    'and bridge escrow. With selective filters a page may have fewer than `limit` items, or none, and still ' +
    '`has_more`.',
  query: z.object({
    limit: limitParameter({ default: 50, max: 200 }),
    cursor: cursorParameter(transferCursorPattern, transferCursorForm),
    min_usd: z
      .string()
      .regex(/^\d{1,15}(\.\d{1,8})?$/, 'must be a non-negative amount of US dollars, such as 10000')
      .default('10000')
      .describe('Minimum value in US dollars; transfers of unknown value are not filtered.'),
    type: z
      .string()
      .regex(new RegExp(`^${oneType}(,${oneType})*$`), `must be ${typeList}`)
      .optional()
      .describe(`Transfer types: ${typeList}.`),
  }),
  response: listOf(bigTransferSchema, 'BigTransfer'),
  example: {
    data: [
      {
        tx_id: exampleTransaction.id,
        block_height: exampleTransaction.block_height,
        tx_index: 0,
        event_index: 3,
        leg: 0,
        timestamp: exampleTransaction.timestamp,
        type: 'transfer',
        transfer_type: 'transfer',
        token: 'A.1654653399040a61.FlowToken',
        token_symbol: 'FLOW',
        token_contract_address: '0x1654653399040a61',
        contract_name: 'FlowToken',
        token_logo: null,
        amount: '250000.00000000',
        usd_value: '85300.00',
        from_address: '0x18eb4ee6b3c026d2',
        to_address: '0xe467b9dd11fa00df',
      },
    ],
    has_more: true,
    cursor: `${exampleTransaction.block_height}:${exampleTransaction.id}:3`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, min_usd: minUsd, type } }, { database, network }) => {
    const selection = {
      minUsd,
      types: parseTypes(type),
      flowToken: `A.${coreContracts(network()).flowToken}.FlowToken`,
    }
    const [bounds, before] = await Promise.all([readBounds(database), findTransferKey(database, cursor)])
    const { rows, last } = await listBigTransfers(database, bounds, before, selection, limit + 1)
    const next = rows.length > limit ? rows[limit - 1] : last
    return { body: pageUpTo(rows.slice(0, limit).map(presentBigTransfer), limit, cursorAfter(next)) }
  },
})

function cursorAfter(place: BigTransferPage['last']): string {
  if (place === undefined) return ''
  return formatTransferCursor({
    height: place.block_height,
    id: place.tx_id,
    eventIndex: place.event_index,
    leg: place.leg,
  })
}

export const activityRoutes = [bigTransfers, busyContracts, tokenVolume]

interface Hour {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly hour: number
}

const hourRow = z.object({ day: z.string(), hour: z.number() })

/** Ends with the newest stored block rather than the clock of the machine. */
async function firstOfLastHours(
  database: DatabasePool,
  bounds: Bounds | undefined,
  count: number,
): Promise<Hour | undefined> {
  if (bounds === undefined) return undefined
  const row = await database.maybeOne(sql.type(hourRow)`
    select first::date::text as day, extract(hour from first)::int as hour
    from (
      select timestamp at time zone 'UTC' - make_interval(hours => ${count - 1}::int) as first
      from raw.blocks where height = ${bounds.max}
    ) as newest
  `)
  return row ?? undefined
}

/** About 200,000 rows for 30 days. */
export async function listBusyContracts(
  database: DatabasePool,
  since: Hour,
  count: number,
): Promise<readonly z.output<typeof contractUseRow>[]> {
  return database.any(sql.type(contractUseRow)`
    select name, sum(activity_count)::bigint as count
    from app.hourly_activity
    where kind = 'contract' and (day, hour) >= (${since.day}::date, ${since.hour}::smallint)
    group by name
    order by count desc, name
    limit ${count}
  `)
}

/** Tokens with a known dollar volume first, then by transfers. */
export async function listTokenVolumes(
  database: DatabasePool,
  since: Hour,
  count: number,
): Promise<readonly z.output<typeof tokenVolumeRow>[]> {
  return database.any(sql.type(tokenVolumeRow)`
    with days as (
      select name, day, sum(activity_count)::bigint as count, sum(amount) as amount
      from app.hourly_activity
      where kind = 'token' and (day, hour) >= (${since.day}::date, ${since.hour}::smallint)
      group by name, day
    ), tokens as (
      select d.name, sum(d.count)::bigint as count, sum(d.amount) as amount,
        case when count(*) = count(p.price) then round(sum(d.amount * p.price), 2) end as usd
      from days d
      left join lateral (
        ${textFragment(lastPriceSql('d.name', 'd.day'))}
      ) p on true
      group by d.name
    )
    select t.name, t.count, t.amount::text as amount, t.usd::text as usd, m.name as title, m.symbol, m.logo
    from tokens t left join app.ft_token_metadata m on m.token = t.name
    order by t.usd desc nulls last, t.count desc, t.name
    limit ${count}
  `)
}
