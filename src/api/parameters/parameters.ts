import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { parseAddress } from '../../chain/address.ts'

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
export function flagParameter(description: string): z.ZodDefault<z.ZodPreprocess<z.ZodBoolean>> {
  const words: Record<string, boolean> = { true: true, 1: true, false: false, 0: false }
  const toFlag = (text: unknown): unknown => (typeof text === 'string' ? (words[text] ?? text) : text)
  return z.preprocess(toFlag, z.boolean('must be true or false')).default(false).describe(description)
}

/** Words to look for: 1 to 100 characters, none of them a control character; white space around them does not count. */
export function searchParameter(description: string): z.ZodPreprocess<z.ZodString> {
  const trimmed = (text: unknown): unknown => (typeof text === 'string' ? text.trim() : text)
  return z.preprocess(trimmed, z.string().regex(/^\P{Cc}{1,100}$/u, 'must be a text of 1 to 100 characters'))
    .describe(description)
}

/** `cursor` of a list whose cursors have the form `pattern`; an empty one asks for the first page. */
export function cursorParameter(pattern: RegExp, form: string): z.ZodOptional<z.ZodString> {
  return z.string().regex(pattern, `must be a cursor of the form ${form}`)
    .describe(`Where the page begins: the \`cursor\` of the page before, of the form \`${form}\`.`).optional()
}

/** A Flow account as people write it: with or without `0x`, in any case, leading zeros left out or not. Gives the text form. */
export function accountParameter(): z.ZodPreprocess<z.ZodString> {
  const toText = (text: unknown): unknown => (typeof text === 'string' ? (parseAddress(text) ?? text) : text)
  return z.preprocess(toText, z.string().regex(/^0x[0-9a-f]{16}$/, 'must be an account: 0x and 16 hex digits'))
    .describe('Account: 16 hex digits, with or without 0x; leading zeros may be left out.')
}

/** An address of Flow EVM, with or without `0x`, in any case. Gives `0x` and 40 lower-case hex digits. */
export function evmAddressParameter(): z.ZodPreprocess<z.ZodString> {
  const toText = (text: unknown): unknown => (
    typeof text === 'string' && /^(0x)?[0-9a-f]{40}$/i.test(text) ? `0x${text.slice(-40).toLowerCase()}` : text
  )
  return z.preprocess(toText, z.string().regex(/^0x[0-9a-f]{40}$/, 'must be an EVM address: 0x and 40 hex digits'))
    .describe('EVM address: 40 hex digits, with or without 0x.')
}

/** Who gives or gets tokens: a Flow account or an address of Flow EVM, as people write them. Gives the text form. */
export function partyParameter(): z.ZodPreprocess<z.ZodString> {
  const toText = (text: unknown): unknown => {
    if (typeof text !== 'string') return text
    return /^(0x)?[0-9a-f]{40}$/i.test(text) ? `0x${text.slice(-40).toLowerCase()}` : (parseAddress(text) ?? text)
  }
  const message = 'must be an account: 0x and 16 hex digits, or 40 for one of Flow EVM'
  return z.preprocess(toText, z.string().regex(/^0x([0-9a-f]{16}|[0-9a-f]{40})$/, message))
    .describe('Account: 16 hex digits, or 40 for one of Flow EVM, with or without 0x.')
}

/**
 * A contract as people write it: `A.<address>.<name>`, `<address>.<name>`, the address with or without `0x` and leading
 * zeros, and with the name of a type behind (`.Vault`, `.NFT`, `.Collection`), which is left away. Another type's name
 * stays: it tells a token from others of its contract. Gives `A.<16 digits>.<name>`.
 */
export function contractParameter(what: string): z.ZodPreprocess<z.ZodString> {
  const form = /^A\.[0-9a-f]{16}\.\w+(\.\w+)?$/
  return z.preprocess(canonicalContract, z.string().regex(form, `must be of the form A.<address>.<name>, as ${what} are`))
    .describe('`A.<address>.<name>`; `<address>.<name>` is taken too, and the name of a type may follow.')
}

function canonicalContract(text: unknown): unknown {
  if (typeof text !== 'string') return text
  const [, digits = '', name = '', type] = /^(?:A\.)?(?:0x)?([0-9a-f]{1,16})\.(\w+)(?:\.(\w+))?$/i.exec(text) ?? []
  if (name === '') return text
  const isUsual = type === undefined || ['Vault', 'NFT', 'Collection'].includes(type)
  return `A.${digits.toLowerCase().padStart(16, '0')}.${name}${isUsual ? '' : `.${type}`}`
}

/** A whole number. */
export function integerParameter(min: number, max: number): z.ZodPreprocess<z.ZodInt> {
  const message = `must be a whole number from ${min} to ${max}`
  const fromText = (text: unknown): unknown => (
    typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text
  )
  return z.preprocess(fromText, z.int(message).min(min, message).max(max, message))
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
  schemas: ParameterSchemas<Params, Query>, params: Readonly<Record<string, string>>, query: URLSearchParams,
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
