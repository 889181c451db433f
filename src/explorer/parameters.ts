import { z } from 'zod'
import { ApiError } from '../platform/errors.ts'

/** `limit` of a list. Out of range is an error, not another number: a client that asks for 500 shall notice. */
export function limitParameter(options: { default: number; max: number }): z.ZodDefault<z.ZodPreprocess<z.ZodInt>> {
  return integerParameter(1, options.max).default(options.default).describe('Most items of the page.')
}

/** A block height. */
export function heightParameter(): z.ZodPreprocess<z.ZodInt> {
  return integerParameter(0, 999_999_999_999_999).describe('Block height.')
}

/** `true` or `1`, `false` or `0`. */
export function flagParameter(description: string): z.ZodDefault<z.ZodType<boolean>> {
  const words: Readonly<Record<string, boolean>> = { true: true, false: false }
  const word = z.preprocess(
    (text) => (typeof text === 'string' && Object.hasOwn(words, text) ? words[text] : text),
    z.boolean(),
  )
  const digit = z.preprocess((text) => (text === '0' || text === '1' ? Number(text) : text), z.literal([0, 1]))
  return z
    .union([word, digit.transform((bit) => bit === 1)], 'must be true or false')
    .default(false)
    .describe(description)
}

/** Characters of a search: a public key has 192 digits, and may have a colon after every two. */
export const maxSearchLength = 300

/**
 * Words to look for: up to `maxSearchLength` characters, none of them a control character; spaces around them do not
 * count.
 */
export function searchParameter(description: string): TextParameter {
  return textParameter(lineForm(maxSearchLength), `must be a text of 1 to ${maxSearchLength} characters`, (text) =>
    text.trim(),
  ).describe(description)
}

/** `cursor` of a list whose cursors have the form `pattern`; an empty one asks for the first page. */
export function cursorParameter(pattern: RegExp, form: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .regex(pattern, `must be a cursor of the form ${form}`)
    .describe(`Where the page begins: the \`cursor\` of the page before, of the form \`${form}\`.`)
    .optional()
}

/**
 * A Flow account as people write it: with or without `0x`, in any case, leading zeros left out or not. Gives the text
 * form.
 */
export function accountParameter(): TextParameter {
  return textParameter(/^(0[xX])?[0-9a-fA-F]{1,16}$/, 'must be an account: 0x and 16 hex digits', accountText).describe(
    'Account: 16 hex digits, with or without 0x; leading zeros may be left out.',
  )
}

function accountText(text: string): string {
  return `0x${withoutPrefix(text).toLowerCase().padStart(16, '0')}`
}

/** An address of Flow EVM, with or without `0x`, in any case. Gives `0x` and 40 lower-case hex digits. */
export function evmAddressParameter(): TextParameter {
  return textParameter(
    /^(0[xX])?[0-9a-fA-F]{40}$/,
    'must be an EVM address: 0x and 40 hex digits',
    accountText,
  ).describe('EVM address: 40 hex digits, with or without 0x.')
}

/** Who gives or gets tokens: a Flow account or an address of Flow EVM, as people write them. Gives the text form. */
export function partyParameter(): TextParameter {
  const problem = 'must be an account: 0x and 16 hex digits, or 40 for one of Flow EVM'
  return textParameter(/^(0[xX])?([0-9a-fA-F]{1,16}|[0-9a-fA-F]{40})$/, problem, accountText).describe(
    'Account: 16 hex digits, or 40 for one of Flow EVM, with or without 0x.',
  )
}

/** Names of types that stand for their contract. */
const usualTypes = ['Vault', 'NFT', 'Collection']
const contractName = '([Aa]\\.)?(0[xX])?[0-9a-fA-F]{1,16}\\.[A-Za-z0-9_]{1,200}'

/**
 * A contract as people write it: `A.<address>.<name>`, `<address>.<name>`, the address with or without `0x` and leading
 * zeros, and with the name of a type behind (`.Vault`, `.NFT`, `.Collection`), which is left away. Another type's name
 * stays: it tells a token from others of its contract. Gives `A.<16 digits>.<name>`.
 */
export function contractParameter(what: string): TextParameter {
  const form = new RegExp(`^${contractName}(\\.[A-Za-z0-9_]{1,200})?$`)
  return textParameter(form, `must be of the form A.<address>.<name>, as ${what} are`, contractText).describe(
    '`A.<address>.<name>`; `<address>.<name>` is taken too, and the name of a type may follow.',
  )
}

/** A contract itself, and none of its types but those that stand for it. Gives `A.<16 digits>.<name>`. */
function contractItselfParameter(): TextParameter {
  const form = new RegExp(`^${contractName}(\\.(${usualTypes.join('|')}))?$`)
  return textParameter(
    form,
    'must be of the form A.<address>.<name>, without a type of the contract',
    contractText,
  ).describe('`A.<address>.<name>`; `<address>.<name>` is taken too.')
}

function contractText(text: string): string {
  const [address = '', name = '', type] = text.replace(/^[Aa]\./, '').split('.')
  const digits = withoutPrefix(address).toLowerCase().padStart(16, '0')
  return `A.${digits}.${name}${type === undefined || usualTypes.includes(type) ? '' : `.${type}`}`
}

/** A whole number. */
export function integerParameter(min: number, max: number): z.ZodPreprocess<z.ZodInt> {
  const message = `must be a whole number from ${min} to ${max}`
  const fromText = (text: unknown): unknown =>
    typeof text === 'string' && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
  // Aborted, so that a union with it says what it takes itself.
  const bound = { error: message, abort: true }
  return z.preprocess(fromText, z.int(message).min(min, bound).max(max, bound))
}

/** A text that is written in several ways, and comes out in one. */
export type TextParameter = z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>

/**
 * @param form what is taken, all of it. The API's description shows it, and has no place for flags.
 * @param problem what is said of other texts: `must be …`
 * @param canonical makes the one form of what has matched
 */
export function textParameter(form: RegExp, problem: string, canonical: (text: string) => string): TextParameter {
  if (form.flags.replace('u', '') !== '') throw new TypeError(`${String(form)}: flags cannot be described`)
  return z.string(problem).regex(form, problem).transform(canonical)
}

/** Up to so many characters in one line, none of them a control character; spaces around them do not count. */
export function lineForm(max: number): RegExp {
  return new RegExp(`^ *[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]{0,${max - 1}}$`, 'u')
}

/** Without the `0x` with which an address or a hash may begin. */
export function withoutPrefix(text: string): string {
  return text.replace(/^0[xX]/, '')
}

/** Parameters and problems of the routes of one contract. */

export const contractParameters = z.object({ identifier: contractItselfParameter() })

/** A contract, or the account whose contracts are meant. */
export function contractOrAccountParameter(): z.ZodUnion<readonly [TextParameter, TextParameter]> {
  return z
    .union([accountParameter(), contractItselfParameter()], 'must be a contract, A.<address>.<name>, or an account')
    .describe('`A.<address>.<name>`, or an account for all of its contracts.')
}

export const unknownContractProblem = { 404: 'No such contract is known.' } as const

export function unknownContract(contract: string): ApiError {
  return new ApiError(404, 'unknown-contract', `Contract ${contract} is not known.`, { field: 'identifier' })
}

/** The number of a row, in a path. */
export function idParameter(description: string): z.ZodPreprocess<z.ZodInt> {
  return integerParameter(1, 999_999_999_999_999).describe(description)
}

const remedy = 'must be a time such as 2026-01-31T12:00:00Z, or a day such as 2026-01-31'
const dayForm = /^\d{4}-\d\d-\d\d$/
const timeForm = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

/** What a year of four digits can be, in UTC. */
const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * An RFC 3339 time with its offset, or a day of UTC, which means its beginning. Gives ISO 8601 in UTC with
 * milliseconds.
 */
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
  const limitText = `At most ${span.max} days can be asked for at once.`
  return {
    from: dayParameter(`First day, UTC. Default: ${span.default} days with \`to\`. ${limitText}`),
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
