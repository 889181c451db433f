import type pg from 'pg'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { withRetriedTransaction } from '../../platform/db/pool.ts'
import type { LeaseKey } from '../../farm/leases/leases.ts'
import { announceFarmWork } from '../../platform/db/listen.ts'
import {
  countLeases,
  findLeaseKeys,
  listLeases,
  requeueLeases,
  skipLeases,
  splitLeases,
} from '../../farm/leases/operator-leases.ts'
import { heightField, numberParameter, wholeNumber, wordsParameter, workerField } from '../http/inputs.ts'
import { operatorRoute } from '../http/operator-route.ts'
import type { OperatorRoute } from '../http/operator-route.ts'
import { requireWorkers, workerNames } from '../operator-parts.ts'
import type { OperatorParts } from '../operator-parts.ts'

const listed = ['queued', 'active', 'failed', 'flagged', 'skipped'] as const
const mendable = ['failed', 'flagged'] as const
const cursorPattern = /^\w+:\d{1,15}$/

const listedField = z.enum(listed, `must be some of ${listed.join(', ')}, separated by commas`)

/** `GET /leases`: leases that are not done, by worker and height. */
const listRoute = operatorRoute({
  method: 'GET',
  path: '/leases',
  query: z.object({
    status: wordsParameter.pipe(z.array(listedField)).optional(),
    worker: wordsParameter.optional(),
    code: z.string().optional(),
    limit: numberParameter(1, 500).default(50),
    cursor: z.string().regex(cursorPattern, 'must be the cursor of the page before').optional(),
  }),
  handler: async ({ query }, parts) => {
    const workers = query.worker ?? workerNames(parts)
    requireWorkers(parts, workers, 'worker')
    const filter = { workers, statuses: query.status ?? listed, code: query.code }
    const [rows, total] = await Promise.all([
      listLeases(parts.pool, { ...filter, after: parseCursor(query.cursor), limit: query.limit + 1 }),
      countLeases(parts.pool, filter),
    ])
    const data = rows.slice(0, query.limit)
    const last = data.at(-1)
    const hasMore = rows.length > query.limit && last !== undefined
    return { data, has_more: hasMore, cursor: hasMore ? `${last.worker}:${last.from}` : '', total }
  },
})

function parseCursor(cursor: string | undefined): LeaseKey | undefined {
  if (cursor === undefined) return undefined
  const [worker = '', from] = cursor.split(':')
  return { worker, from: Number(from) }
}

const mendableField = z.enum(mendable, `must be ${mendable.join(' or ')}: leases in other states cannot be changed`)

/** Which leases: some by name, or all of a worker that are in some state. */
const choice = {
  leases: z
    .array(z.strictObject({ worker: workerField, from: heightField }), 'must be a list of leases {worker, from}')
    .min(1, 'must name at least one lease')
    .max(10_000, 'must name at most 10000 leases; take "all"')
    .optional(),
  all: z
    .strictObject(
      {
        worker: workerField,
        statuses: z
          .array(mendableField, 'must be a list of states')
          .min(1, `must name at least one of ${mendable.join(', ')}`),
        code: z.string('must be the code of an error').optional(),
      },
      'must be {worker, statuses, code?}',
    )
    .optional(),
}

interface Choice {
  readonly leases?: readonly LeaseKey[] | undefined
  readonly all?:
    | {
        readonly worker: string
        readonly statuses: readonly (typeof mendable)[number][]
        readonly code?: string | undefined
      }
    | undefined
}

type Change = (client: pg.PoolClient, keys: readonly LeaseKey[]) => Promise<number>

/** Makes one change to all chosen leases, or to none, and wakes the coordinator. */
async function change(
  action: string,
  { leases, all }: Choice,
  parts: OperatorParts,
  apply: Change,
): Promise<{ changed: number }> {
  if ((leases === undefined) === (all === undefined)) {
    const detail = 'Give either "leases", a list of {worker, from}, or "all", {worker, statuses}.'
    throw new ApiError(400, 'invalid-field', detail, { field: 'leases' })
  }
  if (all !== undefined) requireWorkers(parts, [all.worker], 'all.worker')
  const changed = await withRetriedTransaction(parts.pool, async (client) => {
    const keys = leases ?? (all === undefined ? [] : await findLeaseKeys(client, all.worker, all.statuses, all.code))
    if (keys.length === 0) return 0
    const count = await apply(client, keys)
    await announceFarmWork(client)
    return count
  })
  parts.log.info({ action, changed, leases: leases?.slice(0, 10), all }, 'an operator changed leases')
  parts.feed.wake()
  return { changed }
}

const requeueRoute = operatorRoute({
  method: 'POST',
  path: '/leases/requeue',
  body: z.strictObject(choice, 'must be an object'),
  handler: ({ body }, parts) => change('requeue', body, parts, requeueLeases),
})

const splitRoute = operatorRoute({
  method: 'POST',
  path: '/leases/split',
  body: z.strictObject({ ...choice, pieces: wholeNumber(2, 1000).default(2) }, 'must be an object'),
  handler: ({ body }, parts) => change('split', body, parts, (client, keys) => splitLeases(client, keys, body.pieces)),
})

const whyField = 'must say why: it is kept for ever'

const skipRoute = operatorRoute({
  method: 'POST',
  path: '/leases/skip',
  body: z.strictObject(
    {
      ...choice,
      reason: z.string(whyField).trim().min(1, whyField).max(2000, 'must have at most 2000 characters'),
    },
    'must be an object',
  ),
  handler: ({ body }, parts) => change('skip', body, parts, (client, keys) => skipLeases(client, keys, body.reason)),
})

/** Looking at leases, and mending those that are failed or flagged. */
export const leaseRoutes: readonly OperatorRoute[] = [listRoute, requeueRoute, splitRoute, skipRoute]
