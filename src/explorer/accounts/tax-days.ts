import { ApiError } from '../../platform/errors.ts'
import type { DayRange } from '../parameters.ts'

/** Days of a report with totals, and of one whose days are not told: a leap year. */
export const mostReportDays = 366
const dayMs = 86_400_000

/**
 * The days that a report is about: a year where one end or both are left out.
 * @param newest time of the newest stored block
 * @param mostDays as many as the report may have
 * @returns undefined where nothing is stored, and nothing says the days
 * @throws ApiError 400 where they end before they begin, or are more than that
 */
export function resolveTaxDays(
  asked: { readonly start_date?: string | undefined; readonly end_date?: string | undefined },
  newest: string | undefined,
  mostDays: number = mostReportDays,
): DayRange | undefined {
  const { start_date: start, end_date: end } = asked
  const to = end ?? (start === undefined ? newest?.slice(0, 10) : shifted(start, mostReportDays - 1))
  if (to === undefined) return undefined
  const from = start ?? shifted(to, 1 - mostReportDays)
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (length < 1) throw invalidDay(`must not be before "start_date", which is ${from}`)
  if (length > mostDays) {
    throw invalidDay(
      `must be less than ${mostDays} days after "start_date", which is ${from}: ask for a year at a time, or with format=csv`,
    )
  }
  return { from, to }
}

function invalidDay(problem: string): ApiError {
  return new ApiError(400, 'invalid-parameter', `Parameter "end_date" ${problem}.`, { field: 'end_date' })
}

/** Within the years that a date can be written in. */
function shifted(day: string, days: number): string {
  const time = Date.parse(day) + days * dayMs
  return new Date(Math.min(Math.max(time, Date.parse('0001-01-01')), Date.parse('9999-12-31')))
    .toISOString()
    .slice(0, 10)
}
