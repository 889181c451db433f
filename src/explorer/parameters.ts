import { z } from 'zod'
import { ApiError } from '../platform/errors.ts'

/** Rejects out-of-range values instead of clamping, so that clients notice. */
export function limitParameter(options: { default: number; max: number }): z.ZodDefault<z.ZodPreprocess<z.ZodInt>> {
  return integerParameter(1, options.max).default(options.default).describe('Maximum number of items per page.')
}

export function heightParameter(): z.ZodPreprocess<z.ZodInt> {
  return integerParameter(0, 999_999_999_999_999).describe('Block height.')
}

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

/** A public key has 192 digits, and a colon after every two at most. */
export const maxSearchLength = 300

export function searchParameter(description: string): TextParameter {
  return textParameter(lineForm(maxSearchLength), `must be a string of 1 to ${maxSearchLength} characters`, (text) =>
    text.trim(),
  ).describe(description)
}

/** Empty: first page. */
export function cursorParameter(pattern: RegExp, form: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .regex(pattern, `must be a cursor of the form ${form}`)
    .describe(`Cursor of the previous page, \`${form}\`.`)
    .optional()
}

/** Accepts upper case and omitted leading zeros. */
export function accountParameter(): TextParameter {
  return textParameter(/^(0[xX])?[0-9a-fA-F]{1,16}$/, 'must be an account: 0x and 16 hex digits', accountText).describe(
    'Account: 16 hex digits; 0x and leading zeros are optional.',
  )
}

function accountText(text: string): string {
  return `0x${withoutPrefix(text).toLowerCase().padStart(16, '0')}`
}

export function evmAddressParameter(): TextParameter {
  return textParameter(
    /^(0[xX])?[0-9a-fA-F]{40}$/,
    'must be an EVM address: 0x and 40 hex digits',
    accountText,
  ).describe('EVM address: 40 hex digits; 0x is optional.')
}

export function accountOrCoaParameter(): TextParameter {
  return partyParameter().describe(
    'Account: 16 hex digits; 0x and leading zeros are optional. Or the EVM address of a COA (40), for its owner.',
  )
}

export function partyParameter(): TextParameter {
  const problem = 'must be a Flow account (0x and 16 hex digits) or an EVM address (0x and 40)'
  return textParameter(/^(0[xX])?([0-9a-fA-F]{1,16}|[0-9a-fA-F]{40})$/, problem, accountText).describe(
    'Flow account (16 hex digits) or EVM address (40); 0x is optional.',
  )
}

const usualTypes = ['Vault', 'NFT', 'Collection']
const contractName = '([Aa]\\.)?(0[xX])?[0-9a-fA-F]{1,16}\\.[A-Za-z0-9_]{1,200}'

/**
 * The address may have `0x` and lack leading zeros. The types `.Vault`, `.NFT` and `.Collection`
 * are removed; another type identifies one of several tokens of the contract.
 */
export function contractParameter(): TextParameter {
  const form = new RegExp(`^${contractName}(\\.[A-Za-z0-9_]{1,200})?$`)
  return textParameter(form, 'must be of the form A.<address>.<name>', contractText).describe(
    '`A.<address>.<name>` or `<address>.<name>`, optionally followed by a type name.',
  )
}

function contractItselfParameter(): TextParameter {
  const form = new RegExp(`^${contractName}(\\.(${usualTypes.join('|')}))?$`)
  return textParameter(form, 'must be of the form A.<address>.<name>, without a type name', contractText).describe(
    '`A.<address>.<name>` or `<address>.<name>`.',
  )
}

function contractText(text: string): string {
  const [address = '', name = '', type] = text.replace(/^[Aa]\./, '').split('.')
  const digits = withoutPrefix(address).toLowerCase().padStart(16, '0')
  return `A.${digits}.${name}${type === undefined || usualTypes.includes(type) ? '' : `.${type}`}`
}

export function integerParameter(min: number, max: number): z.ZodPreprocess<z.ZodInt> {
  const message = `must be a whole number from ${min} to ${max}`
  const fromText = (text: unknown): unknown =>
    typeof text === 'string' && /^(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
  // A union then reports its own message.
  const bound = { error: message, abort: true }
  return z.preprocess(fromText, z.int(message).min(min, bound).max(max, bound))
}

export type TextParameter = z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>

/**
 * @param form anchored, without flags: OpenAPI patterns have none
 *
 * @param problem `must be …`
 */
export function textParameter(form: RegExp, problem: string, canonical: (text: string) => string): TextParameter {
  if (form.flags.replace('u', '') !== '') throw new TypeError(`${String(form)}: OpenAPI patterns cannot have flags`)
  return z.string(problem).regex(form, problem).transform(canonical)
}

export function lineForm(max: number): RegExp {
  return new RegExp(`^ *[^\\s\\x00-\\x1f\\x7f-\\x9f][^\\x00-\\x1f\\x7f-\\x9f]{0,${max - 1}}$`, 'u')
}

export function withoutPrefix(text: string): string {
  return text.replace(/^0[xX]/, '')
}

export const contractParameters = z.object({ identifier: contractItselfParameter() })

export function contractOrAccountParameter(): z.ZodUnion<readonly [TextParameter, TextParameter]> {
  return z
    .union([accountParameter(), contractItselfParameter()], 'must be a contract (A.<address>.<name>) or an account')
    .describe('Contract `A.<address>.<name>`, or account for all its contracts.')
}

export const unknownContractProblem = { 404: 'The contract is unknown.' } as const

export function unknownContract(contract: string): ApiError {
  return new ApiError(404, 'unknown-contract', `Contract ${contract} is unknown.`, { field: 'identifier' })
}

export function idParameter(description: string): z.ZodPreprocess<z.ZodInt> {
  return integerParameter(1, 999_999_999_999_999).describe(description)
}

const invalidTime = 'must be a time such as 2026-01-31T12:00:00Z or a day such as 2026-01-31'
const dayForm = /^\d{4}-\d\d-\d\d$/
const timeForm = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/

const earliest = Date.parse('0001-01-01T00:00:00Z')
const latest = Date.parse('9999-12-31T23:59:59.999Z')

/** An RFC 3339 time with offset, or a UTC day, which means its start. */
export function timeParameter(description: string): z.ZodType<string, string> {
  const day = z
    .string()
    .refine((text) => dayForm.test(text) && isOfCalendar(text))
    .meta({ format: 'date' })
  const time = z
    .string()
    .refine((text) => timeForm.test(text) && isOfCalendar(text.slice(0, 10)))
    .meta({ format: 'date-time' })
  return z.union([day, time], invalidTime).transform(toIsoTime).describe(description)
}

/** JavaScript parses 30 February as 2 March. */
function isOfCalendar(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === day
}

/** The offset can move a time out of the four-digit years. */
function toIsoTime(text: string): string {
  const time = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text.toUpperCase())
  return new Date(Math.min(Math.max(time, earliest), latest)).toISOString()
}

/** Inclusive UTC days. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

const dayMs = 86_400_000

export const dayFormat = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .meta({ format: 'date', description: 'Day, UTC.' })

export function dayParameter(description: string): z.ZodOptional<z.ZodString> {
  return z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/, 'must be a day of the form YYYY-MM-DD')
    .refine(exists, 'must be a calendar day of the form YYYY-MM-DD')
    .meta({ format: 'date' })
    .optional()
    .describe(description)
}

/** JavaScript parses 30 February as 2 March. */
function exists(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && dayOf(time) === day
}

/** Of lists by block time. */
export const dayFilters = {
  from: dayParameter('First day, UTC.'),
  to: dayParameter('Last day, UTC, inclusive.'),
}

/** In days. */
export interface DaySpan {
  /** Without `from`. */
  readonly default: number
  readonly max: number
}

export function dayRangeParameters(span: DaySpan): {
  from: z.ZodOptional<z.ZodString>
  to: z.ZodOptional<z.ZodString>
} {
  const limit = `Maximum range: ${span.max} days.`
  return {
    from: dayParameter(`First day, UTC. Default: a range of ${span.default} days. ${limit}`),
    to: dayParameter('Last day, UTC. Default: the newest indexed day.'),
  }
}

/**
 * @param indexed undefined before the first block
 *
 * @returns undefined if no day is left
 *
 * @throws ApiError 400 if the range is empty or too long
 */
export function resolveDays(
  requested: { readonly from?: string | undefined; readonly to?: string | undefined },
  indexed: DayRange | undefined,
  span: DaySpan,
): DayRange | undefined {
  if (requested.from !== undefined && requested.to !== undefined) checkLength(requested.from, requested.to, span)
  if (indexed === undefined) return undefined
  const to = requested.to ?? indexed.to
  const from = requested.from ?? daysBefore(to, span.default - 1)
  const range = { from: from > indexed.from ? from : indexed.from, to: to < indexed.to ? to : indexed.to }
  if (range.from > range.to) return undefined
  checkLength(range.from, range.to, span)
  return range
}

function checkLength(from: string, to: string, { max }: DaySpan): void {
  const length = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (length < 1) throw invalidFrom(`must not be after "to" (${to})`)
  if (length > max) throw invalidFrom(`must be at most ${max} days before "to" (${to})`)
}

export function invalidFrom(problem: string): ApiError {
  return new ApiError(400, 'invalid-parameter', `Parameter "from" ${problem}.`, { field: 'from' })
}

function daysBefore(day: string, count: number): string {
  const time = Date.parse(day) - count * dayMs
  return dayOf(Math.max(time, Date.parse('0000-01-01')))
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}
