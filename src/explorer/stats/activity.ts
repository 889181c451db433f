import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { coreContracts } from '../../flow/core-contracts.ts'
import { contractParts, addressFormat, amountFormat, countFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { listOf, pageUpTo } from '../paging/pages.ts'
import { cursorParameter, integerParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { priceCurrency } from '../tokens/prices.ts'
import { findTransferKey } from '../tokens/transfer-lists.ts'
import { exampleTransaction } from '../transactions/schema.ts'
import { formatTransferCursor, transferCursorForm, transferCursorPattern } from '../transactions/queries.ts'
import { bigTransferSchema, bigTransferTypes, presentBigTransfer, listBigTransfers } from './big-transfers.ts'
import type { BigTransferType, BigTransferPage } from './big-transfers.ts'

/** A contract that was used. */
const busyContractSchema = z
  .strictObject({
    contract_identifier: z.string().describe('`A.<address>.<name>`.'),
    contract_name: z.string(),
    address: addressFormat.describe('Account that has the contract.'),
    tx_count: countFormat.describe('Transactions of users whose script imports it.'),
  })
  .meta({ id: 'BusyContract' })
export type BusyContract = z.output<typeof busyContractSchema>

/** A fungible token that moved. */
const tokenVolumeSchema = z
  .strictObject({
    token: z.string().describe('`A.<address>.<name>`.'),
    name: z
      .string()
      .nullable()
      .describe(
        'As people call it. Null, as symbol and logo, where the contract does not say it, or was not asked yet.',
      ),
    symbol: z.string().nullable(),
    contract_name: z.string(),
    address: addressFormat.describe('Account that has the contract.'),
    logo: z.string().nullable().describe('Address of an image.'),
    transfer_count: countFormat.describe(
      'Movements, without fees and without what the bridge locks up and gives back.',
    ),
    total_amount: amountFormat.describe('Sum of them, in whole tokens.'),
    usd_volume: amountFormat
      .nullable()
      .describe(
        'Sum of them in US dollars, each day at the last price known on it, of at most 48 hours before its end. ' +
          'Null where there is ' +
          'none for a day on which the token moved.',
      ),
  })
  .meta({ id: 'TokenVolume' })
export type TokenVolume = z.output<typeof tokenVolumeSchema>

/** How often something was used, as it is read. */
const contractUseRow = z.object({ name: z.string(), count: z.number() })

/** What moved of a token, as it is read. */
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

const windowWords = 'The hours are whole ones of UTC; the last of them is that of the newest indexed block.'

const hoursParameter = integerParameter(1, 720).default(24).describe(`How many hours back. ${windowWords}`)

const busyContracts = defineRoute({
  path: '/insights/top-contracts',
  operationId: 'listBusyContracts',
  cost: 'high',
  tag: 'Insights',
  summary: 'Contracts that most transactions used of late',
  description: 'The first of a ranking, which has no further pages.',
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
  summary: 'Fungible tokens of which most moved of late',
  description:
    'Those whose volume in US dollars is known come first, by that; the others by their transfers. The first of a ' +
    'ranking, which has no further pages.',
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
const someTypes = `some of ${bigTransferTypes.join(', ')}, with commas between`

function parseTypes(text: string | undefined): BigTransferType[] | undefined {
  return text === undefined ? undefined : bigTransferTypes.filter((type) => text.split(',').includes(type))
}

const bigTransfers = defineRoute({
  path: '/insights/big-transfers',
  operationId: 'listBigTransfers',
  cost: 'high',
  tag: 'Insights',
  summary: 'Movements of much of a fungible token, the newest first',
  description:
    'Movements of 1,000 whole tokens and more, or of less where a token is known to be worth thousands of dollars, ' +
    'and of these the ones that were worth `min_usd`. Before the first price of FLOW that is known nothing is ' +
    'worth anything ' +
    'here, and all are listed. Fees, and what the bridge locks up and gives back, are not among them. Where few are ' +
    'wanted of many, a page can be shorter than `limit`, or empty, and still have a next one.',
  query: z.object({
    limit: limitParameter({ default: 50, max: 200 }),
    cursor: cursorParameter(transferCursorPattern, transferCursorForm),
    min_usd: z
      .string()
      .regex(/^\d{1,15}(\.\d{1,8})?$/, 'must be a number of US dollars, not negative, such as 10000')
      .default('10000')
      .describe('Least worth in US dollars of those whose worth is known.'),
    type: z
      .string()
      .regex(new RegExp(`^${oneType}(,${oneType})*$`), `must be ${someTypes}`)
      .optional()
      .describe(`Only these types: ${someTypes}.`),
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
    const goesOn = rows.length > limit ? rows[limit - 1] : last
    return { body: pageUpTo(rows.slice(0, limit).map(presentBigTransfer), limit, cursorAfter(goesOn)) }
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

/** What was used and moved most. */
export const activityRoutes = [bigTransfers, busyContracts, tokenVolume]

/** An hour of UTC. */
interface Hour {
  /** `YYYY-MM-DD` */
  readonly day: string
  readonly hour: number
}

const hourRow = z.object({ day: z.string(), hour: z.number() })

/**
 * The first of the last `count` hours of the chain: these are whole hours of UTC, and the last of them is that of the
 * newest stored block, whatever the clock of this machine says.
 */
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

/**
 * The contracts that most transactions used since an hour. It adds up the rows of these hours, one for each contract
 * that was used in one: of 30 days some 200,000.
 */
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

/**
 * The tokens of which most moved since an hour: those whose volume in dollars is known by that, then the others by
 * their transfers. It adds up one row for each token and hour, and looks for a price of each token and day.
 */
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
        select price from app.prices
        where token = d.name and currency = ${priceCurrency}
          and price_time < (d.day + 1)::timestamp at time zone 'UTC'
          and price_time >= (d.day - 1)::timestamp at time zone 'UTC'
        order by price_time desc limit 1
      ) p on true
      group by d.name
    )
    select t.name, t.count, t.amount::text as amount, t.usd::text as usd, m.name as title, m.symbol, m.logo
    from tokens t left join app.ft_token_metadata m on m.token = t.name
    order by t.usd desc nulls last, t.count desc, t.name
    limit ${count}
  `)
}
