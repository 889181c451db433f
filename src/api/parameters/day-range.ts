import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'

/** Days of UTC as `YYYY-MM-DD`, both ends inclusive. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

const dayMs = 86_400_000

/** A day of UTC. */
export const dayFormat = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ format: 'date', description: 'Day, UTC.' })

/** A day that exists, `YYYY-MM-DD`. */
export function dayParameter(description: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day of the form YYYY-MM-DD')
    .refine(exists, 'must be a day of the calendar, of the form YYYY-MM-DD')
    .meta({ format: 'date' })
    .optional()
    .describe(description)
}

/** `2026-02-30` is none, and JavaScript takes it for the second of March. */
function exists(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && dayOf(time) === day
}

/** What a route lets its callers ask for, in days. */
export interface DaySpan {
  /** How many are given where `from` is left out. */
  readonly default: number
  readonly max: number
}

/** The parameters `from` and `to` of a route. */
export function dayRangeParameters(span: DaySpan): {
  from: z.ZodOptional<z.ZodString>
  to: z.ZodOptional<z.ZodString>
} {
  const most = `At most ${span.max} days can be asked for at once.`
  return {
    from: dayParameter(`First day, UTC. Default: ${span.default} days with \`to\`. ${most}`),
    to: dayParameter('Last day, UTC. Default: the newest day that is indexed.'),
  }
}

/**
 * The days that a request means, cut to those that are indexed.
 * @param indexed first and last day with an indexed block; undefined while nothing is indexed
 * @returns undefined where no day is left
 * @throws ApiError 400 where the range ends before it begins, or is too long
 */
export function resolveDays(
  asked: { readonly from?: string | undefined; readonly to?: string | undefined },
  indexed: DayRange | undefined,
  span: DaySpan,
): DayRange | undefined {
  if (asked.from !== undefined && asked.to !== undefined) checkLength(asked.from, asked.to, span)
  if (indexed === undefined) return undefined
  const to = asked.to ?? indexed.to
  const from = asked.from ?? daysBefore(to, span.default - 1)
  const range = { from: from > indexed.from ? from : indexed.from, to: to < indexed.to ? to : indexed.to }
  if (range.from > range.to) return undefined
  checkLength(range.from, range.to, span)
  return range
}

function checkLength(from: string, to: string, { max }: DaySpan): void {
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (length < 1) throw invalidFrom(`must not be after "to", which is ${to}`)
  if (length > max)
    throw invalidFrom(`must be later: at most ${max} days up to "to", which is ${to}, can be had at once`)
}

function invalidFrom(problem: string): ApiError {
  return new ApiError(400, 'invalid-parameter', `Parameter "from" ${problem}.`, { field: 'from' })
}

function daysBefore(day: string, count: number): string {
  const time = Date.parse(day) - count * dayMs
  return dayOf(Math.max(time, Date.parse('0000-01-01')))
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
