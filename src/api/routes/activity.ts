import { z } from 'zod'
import { coreContracts } from '../../chain/core-contracts.ts'
import { readBounds } from '../paging/bounds.ts'
import { formatTransferCursor, transferCursorForm, transferCursorPattern } from '../paging/cursors.ts'
import { listOf, pageUpTo } from '../paging/envelope.ts'
import { exampleTransaction } from '../examples/transactions.ts'
import { cursorParameter, integerParameter, limitParameter, noParameters } from '../parameters/parameters.ts'
import {
  busyContractSchema,
  presentContractUse,
  presentTokenVolume,
  tokenVolumeSchema,
} from '../presenters/activity.ts'
import { bigTransferSchema, bigTransferTypes, presentBigTransfer } from '../presenters/big-transfer.ts'
import type { BigTransferType } from '../presenters/big-transfer.ts'
import { firstOfLastHours, listBusyContracts, listTokenVolumes } from '../queries/activity.ts'
import { listBigTransfers } from '../queries/big-transfers.ts'
import type { BigTransferPage } from '../queries/big-transfers.ts'
import { defineRoute } from '../route.ts'
import { findTransferKey } from '../paging/transfer-cursor.ts'

const windowWords = 'The hours are whole ones of UTC; the last of them is that of the newest indexed block.'

const hoursParameter = integerParameter(1, 720).default(24).describe(`How many hours back. ${windowWords}`)

const busyContracts = defineRoute({
  path: '/insights/top-contracts',
  operationId: 'listBusyContracts',
  cost: 'high',
  tag: 'Insights',
  summary: 'Contracts that most transactions used of late',
  description: 'The first of a ranking, which has no further pages.',
  params: noParameters,
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
  params: noParameters,
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
    'and of these the ones that were worth `min_usd`. Before the first price of FLOW that is known nothing is worth anything ' +
    'here, and all are listed. Fees, and what the bridge locks up and gives back, are not among them. Where few are ' +
    'wanted of many, a page can be shorter than `limit`, or empty, and still have a next one.',
  params: noParameters,
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
