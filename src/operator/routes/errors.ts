import { z } from 'zod'
import type { ErrorPlace } from '../../base/indexing-error.ts'
import { countIndexingErrors, listIndexingErrors } from '../../farm/overview/sql/list-indexing-errors.ts'
import { numberParameter } from '../http/inputs.ts'
import { operatorRoute } from '../http/operator-route.ts'

/** `GET /errors`: inputs that could not be decoded or derived, the latest first. */
export const errorsRoute = operatorRoute({
  method: 'GET',
  path: '/errors',
  query: z.object({
    worker: z.string().optional(),
    limit: numberParameter(1, 500).default(50),
    cursor: z
      .string()
      .regex(/^\d{1,17}:\d{1,15}$/, 'must be the cursor of the page before')
      .optional(),
  }),
  handler: async ({ query }, { pool }) => {
    const [rows, total] = await Promise.all([
      listIndexingErrors(pool, { worker: query.worker, after: parseCursor(query.cursor), limit: query.limit + 1 }),
      countIndexingErrors(pool, query.worker),
    ])
    const page = rows.slice(0, query.limit)
    const last = page.at(-1)
    const hasMore = rows.length > query.limit && last !== undefined
    return {
      data: page.map(({ lastSeenMicros: _place, ...error }) => error),
      has_more: hasMore,
      cursor: hasMore ? `${last.lastSeenMicros}:${last.id}` : '',
      total,
    }
  },
})

function parseCursor(cursor: string | undefined): ErrorPlace | undefined {
  if (cursor === undefined) return undefined
  const [lastSeenMicros, id] = cursor.split(':').map(Number)
  return { lastSeenMicros: lastSeenMicros ?? 0, id: id ?? 0 }
}
