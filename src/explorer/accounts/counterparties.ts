import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { readBlockTimes } from '../blocks/queries.ts'
import { countFormat, heightFormat, timeAt, timestampFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { accountParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { ftTransfers, newestFirst, nftTransfers, partyFormat, transferReader } from '../tokens/transfer-lists.ts'
import type { TransferTable } from '../tokens/transfer-lists.ts'

/** Of tokens and of NFTs each. */
export const maxTransfers = 500

const sideRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
})
type SideRow = z.output<typeof sideRow>

const readerOf = (name: string, table: TransferTable): ReturnType<typeof transferReader<SideRow>> =>
  transferReader(
    table,
    (rows) => sql.prepared(name, sideRow)`
      select block_height, tx_index, from_address, to_address from (${rows}) as t order by ${newestFirst}
    `,
  )

const listFtSides = readerOf('parties of FT transfers', ftTransfers)
const listNftSides = readerOf('parties of NFT transfers', nftTransfers)

interface TransferSides {
  readonly rows: readonly SideRow[]
  readonly isComplete: boolean
}

export async function listTransferSides(
  database: DatabasePool,
  bounds: Bounds | undefined,
  address: string,
): Promise<TransferSides> {
  // Sequential, to use one shared connection.
  const fungible = await listFtSides(database, bounds, { address }, undefined, maxTransfers)
  const items = await listNftSides(database, bounds, { address }, undefined, maxTransfers)
  const isComplete = fungible.length < maxTransfers && items.length < maxTransfers
  return { rows: [...fungible, ...items], isComplete }
}

interface Counted {
  readonly address: string
  sent: number
  received: number
  lastHeight: number
}

/** Most transfers first. Without unknown parties and the account itself. */
export function countCounterparties(rows: readonly SideRow[], account: string): Counted[] {
  const found = new Map<string, Counted>()
  for (const { block_height: height, from_address: from, to_address: to } of rows) {
    const address = from === account ? to : from
    if (address === null || address === account) continue
    const known = found.get(address) ?? { address, sent: 0, received: 0, lastHeight: 0 }
    known[from === account ? 'sent' : 'received']++
    known.lastHeight = Math.max(known.lastHeight, height)
    found.set(address, known)
  }
  const total = ({ sent, received }: Counted): number => sent + received
  return [...found.values()].toSorted((a, b) => total(b) - total(a) || b.lastHeight - a.lastHeight)
}

const labelRow = z.object({ address: z.string(), label: z.string() })

async function readLabels(database: DatabasePool, addresses: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await database.any(sql.type(labelRow)`
    select distinct on (address) address, label from app.account_labels
    where address = any (${sql.array(addresses, 'text')})
    order by address, tag
  `)
  return new Map(rows.map(({ address, label }) => [address, label]))
}

const counterpartySchema = z
  .strictObject({
    address: partyFormat,
    label: z.string().nullable().describe('First label of the account, or null.'),
    sent_count: countFormat.describe('Transfers from the account to this one.'),
    received_count: countFormat.describe('Transfers from this account.'),
    last_height: heightFormat.describe('Block of the last transfer.'),
    timestamp: timestampFormat.nullable().describe('Time of the last transfer.'),
  })
  .meta({ id: 'Counterparty' })
export type Counterparty = z.output<typeof counterpartySchema>

const counterparties = defineRoute({
  path: '/flow/account/{address}/counterparty',
  operationId: 'listCounterparties',
  cost: 'high',
  tag: 'Accounts',
  summary: 'Accounts with the most transfers from and to an account',
  description:
    `Covers the newest ${maxTransfers} token transfers and the newest ${maxTransfers} NFT transfers of the ` +
    'account.',
  params: z.object({ address: accountParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }) }),
  response: z
    .strictObject({
      data: z.array(counterpartySchema),
      has_more: z.literal(false).describe('The list is never paged.'),
      cursor: z.literal(''),
      _meta: z.strictObject({
        limit: countFormat,
        count: countFormat.describe('Counterparties in the list.'),
        transfer_count: countFormat.describe('Transfers examined.'),
        is_complete: z.boolean().describe('Whether these are all indexed transfers of the account.'),
      }),
    })
    .meta({ id: 'CounterpartyList' }),
  example: {
    data: [
      {
        address: '0xe467b9dd11fa00df',
        label: 'Flow Service Account',
        sent_count: 12,
        received_count: 3,
        last_height: 118_542_743,
        timestamp: '2025-07-01T12:00:00.250Z',
      },
    ],
    has_more: false,
    cursor: '',
    _meta: { limit: 20, count: 1, transfer_count: 15, is_complete: true },
  },
  handler: async ({ params: { address }, query: { limit } }, { database }) => {
    const { rows, isComplete } = await listTransferSides(database, await readBounds(database), address)
    const shown = countCounterparties(rows, address).slice(0, limit)
    const [labels, times] = await Promise.all([
      readLabels(
        database,
        shown.map((each) => each.address),
      ),
      readBlockTimes(
        database,
        shown.map(({ lastHeight }) => lastHeight),
      ),
    ])
    return {
      body: {
        data: shown.map(({ address: other, sent, received, lastHeight }) => ({
          address: other,
          label: labels.get(other) ?? null,
          sent_count: sent,
          received_count: received,
          last_height: lastHeight,
          timestamp: timeAt(times, lastHeight),
        })),
        has_more: false as const,
        cursor: '' as const,
        _meta: { limit, count: shown.length, transfer_count: rows.length, is_complete: isComplete },
      },
    }
  },
})

export const counterpartyRoutes = [counterparties]
