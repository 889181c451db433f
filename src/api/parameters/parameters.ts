import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { lineForm, textParameter, withoutPrefix } from './text-parameter.ts'
import type { TextParameter } from './text-parameter.ts'

/** For routes without parameters of a kind. */
export const noParameters = z.object({})

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

/** Words to look for: up to `maxSearchLength` characters, none of them a control character; spaces around them do not count. */
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

/** A Flow account as people write it: with or without `0x`, in any case, leading zeros left out or not. Gives the text form. */
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
export function contractItselfParameter(): TextParameter {
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

interface ParameterSchemas<Params extends z.ZodObject, Query extends z.ZodObject> {
  readonly params: Params
  readonly query: Query
}

/**
 * Reads the declared parameters; those that a route does not declare are ignored, since clients send some of their own.
 * @throws ApiError 400 `invalid-parameter` for the first bad one
 */
export function parseParameters<Params extends z.ZodObject, Query extends z.ZodObject>(
  schemas: ParameterSchemas<Params, Query>,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
): { params: z.output<Params>; query: z.output<Query> } {
  const declared: Record<string, string> = {}
  if ('cursor' in schemas.query.shape && !['0', '', null].includes(query.get('offset'))) {
    throw invalidParameter('offset', 'is not taken: ask with the `cursor` of the page before')
  }
  for (const name of Object.keys(schemas.query.shape)) {
    const values = query.getAll(name)
    if (values.length > 1) throw invalidParameter(name, 'is given more than once')
    if (values[0] !== undefined) declared[name] = values[0]
  }
  return { params: parse(schemas.params, params), query: parse(schemas.query, declared) }
}

function parse<Schema extends z.ZodObject>(schema: Schema, values: Readonly<Record<string, string>>): z.output<Schema> {
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const field = String(issue?.path[0] ?? '')
  throw invalidParameter(field, field in values ? (issue?.message ?? 'is not valid') : 'is missing')
}

function invalidParameter(field: string, problem: string): ApiError {
  return new ApiError(400, 'invalid-parameter', `Parameter "${field}" ${problem}.`, { field })
}
