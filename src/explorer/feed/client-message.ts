import { z } from 'zod'
import { createFilter, feedTypes } from './filter-index.ts'
import type { FeedFilter } from './filter-index.ts'
import { parseMark } from './feed-block.ts'
import type { Mark } from './feed-block.ts'

export type SubscriptionId = string | number

export type ClientMessage =
  | {
      readonly type: 'subscribe'
      readonly id: SubscriptionId
      readonly filter: FeedFilter
      readonly place: Mark | undefined
      readonly isBatch: boolean | undefined
    }
  | {
      readonly type: 'subscribe_table'
      readonly id: SubscriptionId
      readonly table: string
      readonly filter: Readonly<Record<string, string | number | boolean>>
      readonly place: Mark | undefined
      readonly isBatch: boolean | undefined
    }
  | { readonly type: 'unsubscribe'; readonly id: SubscriptionId }
  | { readonly type: 'ping'; readonly id: SubscriptionId | undefined }

export interface ClientMessageError {
  readonly code:
    | 'bad_message'
    | 'unknown_subscription'
    | 'too_many_subscriptions'
    | 'too_many_words'
    | 'already_following'
    | 'too_old'
    | 'too_new'
    | 'replay_limit'
    | 'unknown_table'
    | 'try_again'
  /** Undefined if the whole message is invalid. */
  readonly field: string | undefined
  readonly message: string
  readonly id?: SubscriptionId
  readonly retryAfter?: number
}

/** Per filter list. */
export const maxAddresses = 1000
const maxWords = 100
const maxWordLength = 200

const maxFieldName = 100

const id = z.union([z.string().min(1).max(64), z.int()], 'must be a string of 1 to 64 characters or an integer')

const address = z
  .string('must be a string')
  .regex(/^(0x)?([0-9a-f]{1,16}|[0-9a-f]{40})$/i, 'must be 0x and 16 hex digits (Flow) or 40 (EVM)')
  .transform((text) => {
    const digits = text.replace(/^0x/i, '').toLowerCase()
    return `0x${digits.length === 40 ? digits : digits.padStart(16, '0')}`
  })

const contract = z
  .string('must be a string')
  .regex(/^A\.[0-9a-f]{16}\.\w{1,128}$/, 'must have the form A.<16 hex digits>.<name>')

function listOf<T extends z.ZodType>(word: T, max: number): z.ZodOptional<z.ZodArray<T>> {
  const problem = `must have 1 to ${max} entries; omit it for no filter`
  return z.array(word, problem).min(1, problem).max(max, problem).optional()
}

const word = z
  .string('must be a string')
  .min(1, 'must not be empty')
  .max(maxWordLength, `must have at most ${maxWordLength} characters`)

const filterSchema = z.strictObject(
  {
    types: listOf(z.enum(feedTypes, `must be one of ${feedTypes.join(', ')}`), feedTypes.length),
    addresses: listOf(address, maxAddresses),
    tags: listOf(
      word.transform((tag) => tag.toUpperCase()),
      maxWords,
    ),
    contracts: listOf(contract, maxWords),
    templates: listOf(word, maxWords),
  },
  'must be an object with the lists types, addresses, tags, contracts, templates; omit it to receive everything',
)

const placeProblem = 'must be the next height to receive'

const subscribeShape = {
  type: z.literal('subscribe'),
  id,
  from: z.int(placeProblem).min(0, placeProblem).optional(),
  after: z
    .string('must be the seq of the last received message')
    .refine((text) => parseMark(text) !== undefined, 'must be the seq of the last received message')
    .optional(),
  batch: z.boolean('must be true (an array of messages per frame) or false (one message per frame)').optional(),
}

const maxColumns = 20

const tableMessage = z.strictObject({
  ...subscribeShape,
  table: z.string('must be a string').regex(/^\w{1,60}\.\w{1,60}$/, 'must have the form <worker>.<table>'),
  filter: z
    .record(
      z.string().max(maxWordLength),
      z.union([z.string().max(1000), z.number(), z.boolean()], 'must be a text, a number, true or false'),
      'must be an object with values of columns',
    )
    .refine((filter) => Object.keys(filter).length <= maxColumns, `must have at most ${maxColumns} columns`)
    .optional(),
})

const clientMessage = z.discriminatedUnion(
  'type',
  [
    z.strictObject({ ...subscribeShape, filter: filterSchema.optional() }),
    z.strictObject({ type: z.literal('unsubscribe'), id }),
    z.strictObject({ type: z.literal('ping'), id: id.optional() }),
  ],
  'must be an object with type subscribe, unsubscribe or ping',
)

/** Undefined for binary frames. */
export function parseClientMessage(text: string | undefined): ClientMessage | ClientMessageError {
  let content: unknown
  try {
    content = text === undefined ? undefined : JSON.parse(text)
  } catch {
    content = undefined // rejected below
  }
  if (content === undefined)
    return { code: 'bad_message', field: undefined, message: 'must be a JSON object in a text frame' }
  if (isOfTable(content)) {
    const { success, data, error } = tableMessage.safeParse(content)
    if (!success) return mistakeOf(error, content)
    return placed(data, { type: 'subscribe_table', table: data.table, filter: data.filter ?? {} })
  }
  const { success, data, error } = clientMessage.safeParse(content)
  if (!success) return mistakeOf(error, content)
  if (data.type !== 'subscribe') return data.type === 'ping' ? { type: 'ping', id: data.id } : data
  return placed(data, { type: 'subscribe', filter: createFilter(data.filter ?? {}) })
}

function isOfTable(content: unknown): boolean {
  return typeof content === 'object' && content !== null && 'table' in content
}

interface Subscribed {
  readonly id: SubscriptionId
  readonly from?: number | undefined
  readonly after?: string | undefined
  readonly batch?: boolean | undefined
}

function placed<Rest extends object>(
  { id: own, from, after, batch }: Subscribed,
  rest: Rest,
): (Rest & { id: SubscriptionId; place: Mark | undefined; isBatch: boolean | undefined }) | ClientMessageError {
  if (from !== undefined && after !== undefined) {
    return { code: 'bad_message', field: 'after', message: 'from and after are mutually exclusive', id: own }
  }
  return { ...rest, id: own, place: after === undefined ? placeAt(from) : parseMark(after), isBatch: batch }
}

function placeAt(height: number | undefined): Mark | undefined {
  return height === undefined ? undefined : { height, had: undefined }
}

function mistakeOf(error: z.ZodError, content: unknown): ClientMessageError {
  const [issue] = error.issues
  const path = issue?.path.map(String) ?? []
  if (issue?.code === 'unrecognized_keys') path.push(issue.keys[0] ?? '')
  const message = issue?.code === 'unrecognized_keys' ? 'unknown field' : (issue?.message ?? 'invalid')
  const own = id.safeParse(typeof content === 'object' && content !== null && 'id' in content ? content.id : undefined)
  return {
    code: 'bad_message',
    field: path.join('.').slice(0, maxFieldName) || undefined,
    message,
    ...(own.success ? { id: own.data } : {}),
  }
}
