import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { listOf, page } from '../paging/envelope.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { exampleEvent } from '../examples/transactions.ts'
import { limitParameter, noParameters } from '../parameters/parameters.ts'
import { eventSchema, presentEvent } from '../presenters/event.ts'
import { findEventTypes, searchEvents } from '../queries/search-events.ts'
import { markKey, readTransactionMarks } from '../queries/transaction-marks.ts'
import { defineRoute } from '../route.ts'

const nameForm = /^[\w.]{3,200}$/

function nameParameter(description: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .regex(nameForm, 'must be 3 to 200 letters, digits, dots or underscores')
    .describe(description)
    .optional()
}

const eventSearch = defineRoute({
  path: '/flow/events/search',
  operationId: 'searchEvents',
  cost: 'high',
  tag: 'Events',
  summary: 'Events of a type, the newest first',
  description:
    'Of the blocks that are derived. A part of a name stands for the 50 most frequent types in which it occurs.',
  params: noParameters,
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: eventCursor.parameter,
    type: nameParameter('Full type: `A.<address>.<contract>.<event>`, or `flow.<event>`.'),
    name: nameParameter(
      'Full type, or a part of `<contract>.<event>` in any case: `TokensDeposited`, `FlowToken.`, `swap`. Either this or `type`.',
    ),
  }),
  response: listOf(eventSchema, 'Event'),
  problems: { 400: 'Neither `type` nor `name` is given, or one is not valid.' },
  example: {
    data: [exampleEvent],
    has_more: true,
    cursor: `${exampleEvent.block_height}:0:${exampleEvent.event_index}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, type, name } }, { database }) => {
    const wanted = type ?? name
    if (wanted === undefined) {
      throw new ApiError(
        400,
        'invalid-parameter',
        'Parameter "type" is missing: a full event type, or a part of one as "name".',
        { field: 'type' },
      )
    }
    const rows = await searchEvents(
      database,
      await findEventTypes(database, wanted),
      parseEventCursor(cursor),
      limit + 1,
    )
    const marks = await readTransactionMarks(database, rows)
    const events = rows.flatMap((row) => {
      const mark = marks.get(markKey(row))
      // A block that was rolled back between the two readings.
      if (mark === undefined) return []
      return [{ row, event: presentEvent(row, mark.id, { height: row.block_height, timestamp: mark.timestamp }) }]
    })
    return {
      body: page(
        events,
        limit,
        ({ event }) => event,
        ({ row }) => eventCursor.format(row),
      ),
    }
  },
})

/** Events of all blocks. */
export const eventRoutes = [eventSearch]
