import type pg from 'pg'
import { z } from 'zod'
import type { StagePlan } from '../farm/overview/stage-plan.ts'
import { ApiError } from '../platform/errors.ts'
import { routesOf } from '../platform/http/route.ts'
import type { Logger } from '../platform/log.ts'
import type { HeightRange } from '../platform/ranges.ts'
import type { Access, OperatorAccess } from './access.ts'
import type { EventStreams, OverviewFeed } from './overview-feed.ts'

export interface OperatorServices {
  readonly pool: pg.Pool
  /** Own workers come and go. */
  readonly plans: () => Promise<readonly StagePlan[]>
  readonly feed: OverviewFeed
  readonly streams: EventStreams
  readonly access: OperatorAccess
  readonly log: Logger
}

export const operatorPath = '/operator'
export const apiPath = `${operatorPath}/api`

/** `session` admits every client, logged in or not. */
export const operatorRoute = routesOf<OperatorServices, { operator: Access; session: undefined }>({
  unknownParameters: 'refused',
})

export function workerNames(plans: readonly StagePlan[]): string[] {
  return plans.filter(({ kind }) => kind === 'worker').map(({ name }) => name)
}

/** @throws ApiError 400 `unknown-worker` */
export function requireWorkers(plans: readonly StagePlan[], names: readonly string[], field: string): void {
  const known = workerNames(plans)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new ApiError(400, 'unknown-worker', `Unknown worker "${unknown}". Workers: ${known.join(', ')}.`, { field })
  }
}

const maxHeight = 999_999_999_999_999

export const heightField = wholeNumber(0, maxHeight)

export const workerField = z.string('must be the name of a worker').min(1, 'must be the name of a worker')

export function numberParameter(min: number, max: number): z.ZodPreprocess<z.ZodInt> {
  const fromText = (text: unknown): unknown =>
    typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text
  return z.preprocess(fromText, wholeNumber(min, max))
}

export const heightParameter = numberParameter(0, maxHeight)

/** @throws ApiError 400 */
export function requireHeights({ from, to }: HeightRange, code: 'invalid-parameter' | 'invalid-field'): void {
  if (to > from) return
  const what = code === 'invalid-field' ? 'Field' : 'Parameter'
  throw new ApiError(400, code, `${what} "to" must be above "from" (${from}); "to" is exclusive.`, { field: 'to' })
}

export function wholeNumber(min: number, max: number): z.ZodInt {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int(message).min(min, message).max(max, message)
}

/** Handlers return a `Date`; the schema describes its ISO 8601 text. */
export const timestamp = z.iso.datetime() as unknown as z.ZodType<Date, string>

export const heightRange = z.strictObject({ from: z.int(), to: z.int().describe('Exclusive.') })

export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    data: z.array(item),
    has_more: z.boolean(),
    cursor: z.string().describe('Empty on the last page.'),
    total: z.int(),
  })
}
