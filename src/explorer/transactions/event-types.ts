import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { parseEventType } from '../../flow/type-id.ts'
import { addressFormat, countFormat, heightFormat } from '../formats.ts'
import { readBounds } from '../paging/bounds.ts'
import type { Bounds } from '../paging/bounds.ts'
import { listOf, wholeList } from '../paging/pages.ts'
import { limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { exampleEvent } from './schema.ts'

const countedBlocks = 1000

const eventTypeSchema = z
  .strictObject({
    type: z.string(),
    contract_address: addressFormat.nullable().describe('Null for protocol events.'),
    contract_name: z.string().nullable(),
    event_name: z.string(),
    count: countFormat.describe(`Events in the newest ${countedBlocks} blocks.`),
    total_count: countFormat.describe('All indexed events.'),
    last_seen_height: heightFormat,
  })
  .meta({ id: 'EventType' })
export type EventType = z.output<typeof eventTypeSchema>

export const eventTypeList = defineRoute({
  path: '/flow/events/type',
  operationId: 'listEventTypes',
  cost: 'high',
  tag: 'Events',
  summary: `Event types of the newest ${countedBlocks} blocks, most frequent first`,
  query: z.object({ limit: limitParameter({ default: 100, max: 500 }) }),
  response: listOf(eventTypeSchema, 'EventType'),
  example: wholeList([
    {
      type: exampleEvent.type,
      contract_address: exampleEvent.contract_address,
      contract_name: exampleEvent.contract_name,
      event_name: exampleEvent.event_name,
      count: 12_873,
      total_count: 148_211_207,
      last_seen_height: exampleEvent.block_height,
    },
  ]),
  handler: async ({ query: { limit } }, { database }) => {
    const rows = await listRecentEventTypes(database, await readBounds(database), limit)
    return {
      body: wholeList(
        rows.map((row) => {
          const { address, contract, name } = parseEventType(row.type)
          const contract_address = address === undefined ? null : `0x${address}`
          return { ...row, contract_address, contract_name: contract ?? null, event_name: name }
        }),
      ),
    }
  },
})

const recentTypeRow = z.object({
  type: z.string(),
  count: z.number(),
  total_count: z.number(),
  last_seen_height: z.number(),
})

export async function listRecentEventTypes(
  database: DatabasePool,
  bounds: Bounds | undefined,
  count: number,
): Promise<ReadonlyArray<z.output<typeof recentTypeRow>>> {
  if (bounds === undefined) return []
  return database.any(sql.type(recentTypeRow)`
    select recent.type, recent.count, recent.last_seen_height, greatest(t.event_count, recent.count) as total_count
    from (
      select e.type, sum(e.count) as count, max(b.block_height) as last_seen_height
      from app.block_event_types b cross join unnest(b.types, b.event_counts) as e (type, count)
      where b.block_height between ${Math.max(bounds.min, bounds.max - countedBlocks + 1)} and ${bounds.max}
      group by e.type order by count desc, e.type limit ${count}
    ) as recent left join app.event_types t on t.type = recent.type
    order by recent.count desc, recent.type
  `)
}
