import type pg from 'pg'
import { z } from 'zod'
import type { LeaseKey } from '../farm/leases/leases.ts'
import {
  countLeases,
  findLeaseKeys,
  listLeases,
  requeueLeases,
  skipLeases,
  splitLeases,
} from '../farm/leases/operator-leases.ts'
import { announceFarmWork } from '../platform/db/listen.ts'
import { withRetriedTransaction } from '../platform/db/pool.ts'
import { ApiError } from '../platform/errors.ts'
import {
  apiPath,
  heightField,
  numberParameter,
  operatorRoute,
  pageOf,
  requireWorkers,
  timestamp,
  wholeNumber,
  workerField,
  workerNames,
} from './route.ts'
import type { OperatorServices } from './route.ts'

const openStatuses = ['queued', 'active', 'failed', 'flagged', 'skipped'] as const
const changeableStatuses = ['failed', 'flagged'] as const
const cursorPattern = /^\w+:\d{1,15}$/

/** Fits 10,000 leases. */
const maxBodyBytes = 1024 * 1024

const lease = z
  .strictObject({
    worker: z.string(),
    from: z.int(),
    to: z.int().describe('Exclusive.'),
    status: z.enum([...openStatuses, 'done']),
    attempt: z.int(),
    expiries: z.int(),
    leasedBy: z.string().nullable(),
    leaseExpiresAt: timestamp.nullable(),
    notBefore: timestamp.nullable(),
    error: z.string().nullable(),
    code: z.string().nullable(),
    stack: z.string().nullable(),
    reason: z.string().nullable(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Lease' })

const listParameter = z.string().transform((text) =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== ''),
)

const statusField = z.enum(openStatuses, `must be a comma-separated list of ${openStatuses.join(', ')}`)

const listRoute = operatorRoute({
  path: `${apiPath}/leases`,
  operationId: 'listLeases',
  tag: 'Leases',
  summary: 'Unfinished leases, by worker and height',
  access: 'operator',
  query: z.object({
    status: listParameter.pipe(z.array(statusField)).optional(),
    worker: listParameter.optional(),
    code: z.string().optional(),
    limit: numberParameter(1, 500).default(50),
    cursor: z.string().regex(cursorPattern, 'must be the cursor of the page before').optional(),
  }),
  response: pageOf(lease),
  handler: async ({ query }, { pool, plans }) => {
    const known = await plans()
    const workers = query.worker ?? workerNames(known)
    requireWorkers(known, workers, 'worker')
    const filter = { workers, statuses: query.status ?? openStatuses, code: query.code }
    const [rows, total] = await Promise.all([
      listLeases(pool, { ...filter, after: parseCursor(query.cursor), limit: query.limit + 1 }),
      countLeases(pool, filter),
    ])
    const data = rows.slice(0, query.limit)
    const last = data.at(-1)
    const hasMore = rows.length > query.limit && last !== undefined
    return { body: { data, has_more: hasMore, cursor: hasMore ? `${last.worker}:${last.from}` : '', total } }
  },
})

function parseCursor(cursor: string | undefined): LeaseKey | undefined {
  if (cursor === undefined) return undefined
  const [worker = '', from] = cursor.split(':')
  return { worker, from: Number(from) }
}

const changeableField = z.enum(
  changeableStatuses,
  `must be ${changeableStatuses.join(' or ')}: leases in other states cannot be changed`,
)

const target = {
  leases: z
    .array(z.strictObject({ worker: workerField, from: heightField }), 'must be a list of leases {worker, from}')
    .min(1, 'must name at least one lease')
    .max(10_000, 'must name at most 10000 leases; use "all"')
    .optional(),
  all: z
    .strictObject(
      {
        worker: workerField,
        statuses: z
          .array(changeableField, 'must be a list of states')
          .min(1, `must name at least one of ${changeableStatuses.join(', ')}`),
        code: z.string('must be an error code').optional(),
      },
      'must be {worker, statuses, code?}',
    )
    .optional(),
}

type Target = z.output<z.ZodObject<typeof target>>

async function change(
  action: string,
  { leases, all }: Target,
  { pool, plans, log, feed }: OperatorServices,
  apply: (client: pg.PoolClient, keys: readonly LeaseKey[]) => Promise<number>,
): Promise<{ body: { changed: number } }> {
  if ((leases === undefined) === (all === undefined)) {
    const detail = 'Give either "leases", a list of {worker, from}, or "all", {worker, statuses}.'
    throw new ApiError(400, 'invalid-field', detail, { field: 'leases' })
  }
  if (all !== undefined) requireWorkers(await plans(), [all.worker], 'all.worker')
  const changed = await withRetriedTransaction(pool, async (client) => {
    const keys = leases ?? (all === undefined ? [] : await findLeaseKeys(client, all.worker, all.statuses, all.code))
    if (keys.length === 0) return 0
    const count = await apply(client, keys)
    await announceFarmWork(client)
    return count
  })
  log.info({ action, changed, leases: leases?.slice(0, 10), all }, 'An operator changed leases')
  feed.wake()
  return { body: { changed } }
}

const changeRoute = {
  method: 'POST',
  tag: 'Leases',
  access: 'operator',
  maxBodyBytes,
  response: z.strictObject({ changed: z.int() }),
} as const

const reasonMessage = 'must give a reason, which is recorded permanently'

export const leaseRoutes = [
  listRoute,
  operatorRoute({
    ...changeRoute,
    path: `${apiPath}/leases/requeue`,
    operationId: 'requeueLeases',
    summary: 'Requeue failed or flagged leases',
    body: z.strictObject(target, 'must be an object'),
    handler: ({ body }, services) => change('requeue', body, services, requeueLeases),
  }),
  operatorRoute({
    ...changeRoute,
    path: `${apiPath}/leases/split`,
    operationId: 'splitLeases',
    summary: 'Split failed or flagged leases into smaller ranges',
    body: z.strictObject({ ...target, pieces: wholeNumber(2, 1000).default(2) }, 'must be an object'),
    handler: ({ body }, services) =>
      change('split', body, services, (client, keys) => splitLeases(client, keys, body.pieces)),
  }),
  operatorRoute({
    ...changeRoute,
    path: `${apiPath}/leases/skip`,
    operationId: 'skipLeases',
    summary: 'Skip failed or flagged leases permanently',
    body: z.strictObject(
      {
        ...target,
        reason: z.string(reasonMessage).trim().min(1, reasonMessage).max(2000, 'must have at most 2000 characters'),
      },
      'must be an object',
    ),
    handler: ({ body }, services) =>
      change('skip', body, services, (client, keys) => skipLeases(client, keys, body.reason)),
  }),
]
