import { z } from 'zod'

const remedy = 'must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31'
const dayForm = /^\d{4}-\d\d-\d\d$/
const timeForm = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** What a year of four digits can be, in UTC. */
const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** An RFC 3339 time with its offset, or a day of UTC, which means its beginning. Gives ISO 8601 in UTC with milliseconds. */
export function timeParameter(description: string): z.ZodType<string, string> {
  const day = z
    .string()
    .refine((text) => dayForm.test(text) && isOfCalendar(text))
    .meta({ format: 'date' })
  const time = z
    .string()
    .refine((text) => timeForm.test(text) && isOfCalendar(text.slice(0, 10)))
    .meta({ format: 'date-time' })
  return z.union([day, time], remedy).transform(toIsoTime).describe(description)
}

/** JavaScript takes 30 February for 2 March. */
function isOfCalendar(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === day
}

/** The offset may lead out of the years that can be written. */
function toIsoTime(text: string): string {
  const time = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text.toUpperCase())
  return new Date(Math.min(Math.max(time, earliest), latest)).toISOString()
}
