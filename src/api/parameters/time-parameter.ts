import { z } from 'zod'

/** An RFC 3339 time with its offset, or a day of UTC, which means its beginning. Gives ISO 8601 in UTC with milliseconds. */
export function timeParameter(description: string): z.ZodPreprocess<z.ZodString> {
  const remedy = 'must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31'
  return z.preprocess(toIsoTime, z.string(remedy).regex(/^(?!0000)\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/, remedy)).describe(description)
}

/** PostgreSQL has no year 0. */
const form = /^((?!0000)\d{4}-\d\d-\d\d)(?:[Tt](\d\d:\d\d:\d\d(?:\.\d{1,9})?)([Zz]|[+-]\d\d:\d\d))?$/

/** What is no such time stays as it is. */
function toIsoTime(text: unknown): unknown {
  const [, day = '', clock = '00:00:00', offset = 'Z'] = typeof text === 'string' ? (form.exec(text) ?? []) : []
  // JavaScript takes 30 February for 2 March.
  const midnight = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return text
  const time = Date.parse(`${day}T${clock}${offset.toUpperCase()}`)
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}
