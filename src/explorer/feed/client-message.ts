import { z } from 'zod'
import { createFilter, feedTypes } from './filter-index.ts'
import type { FeedFilter } from './filter-index.ts'
import { parseMark } from './feed-block.ts'
import type { Mark } from './feed-block.ts'

/** How a client names a subscription of its own. */
export type SubscriptionId = string | number

/** What a client asks for. */
export type ClientMessage =
  | {
      readonly type: 'subscribe'
      readonly id: SubscriptionId
      readonly filter: FeedFilter
      /** Where the client wants to go on. */
      readonly place: Mark | undefined
      readonly isBatch: boolean | undefined
    }
  | { readonly type: 'unsubscribe'; readonly id: SubscriptionId }
  | { readonly type: 'ping'; readonly id: SubscriptionId | undefined }

/** Why a message of a client was not obeyed: what is wrong in which field, and what to do. */
export interface ClientMistake {
  readonly code:
    | 'bad_message'
    | 'unknown_subscription'
    | 'too_many_subscriptions'
    | 'too_many_words'
    | 'already_following'
    | 'too_old'
    | 'too_new'
    | 'replay_limit'
  /** Undefined where the message as a whole is wrong. */
  readonly field: string | undefined
  readonly message: string
  readonly id?: SubscriptionId
  /** Seconds after which the same message will be accepted. */
  readonly retryAfter?: number
}

/** Most words in one list of a filter, addresses among them. */
export const maxAddresses = 1000
const maxWords = 100
const longestWord = 200

/** Characters of a field's name that are said back. */
const longestField = 100

const id = z.union(
  [z.string().min(1).max(64), z.int()],
  'give an id of your own: a text of 1 to 64 characters or an integer',
)

const address = z
  .string('give each address as text')
  .regex(/^(0x)?([0-9a-f]{1,16}|[0-9a-f]{40})$/i, 'give each address as 0x and 16 hex digits, or 40 for an EVM account')
  .transform((text) => {
    const digits = text.replace(/^0x/i, '').toLowerCase()
    return `0x${digits.length === 40 ? digits : digits.padStart(16, '0')}`
  })

const contract = z
  .string('give each contract as text')
  .regex(/^A\.[0-9a-f]{16}\.\w{1,128}$/, 'give each contract as A.<16 hex digits>.<name>')

function listOf<T extends z.ZodType>(word: T, max: number): z.ZodOptional<z.ZodArray<T>> {
  const advice = `give a list of 1 to ${max}, or leave it out to ask for all`
  return z.array(word, advice).min(1, advice).max(max, advice).optional()
}

const word = z
  .string('give each as text')
  .min(1, 'give each as text that is not empty')
  .max(longestWord, `give at most ${longestWord} characters`)

const filterSchema = z.strictObject(
  {
    types: listOf(z.enum(feedTypes, `choose among ${feedTypes.join(', ')}`), feedTypes.length),
    addresses: listOf(address, maxAddresses),
    tags: listOf(
      word.transform((tag) => tag.toUpperCase()),
      maxWords,
    ),
    contracts: listOf(contract, maxWords),
    templates: listOf(word, maxWords),
  },
  'give an object with the lists types, addresses, tags, contracts, templates, or leave it out to ask for everything',
)

const placeAdvice = 'give the next height that you want'

const clientMessage = z.discriminatedUnion(
  'type',
  [
    z.strictObject({
      type: z.literal('subscribe'),
      id,
      filter: filterSchema.optional(),
      from: z.int(placeAdvice).min(0, placeAdvice).optional(),
      after: z
        .string('give the seq of the last message that you have')
        .refine((text) => parseMark(text) !== undefined, 'give the seq of the last message that you have')
        .optional(),
      batch: z.boolean('give true for an array of messages a frame, false for one message a frame').optional(),
    }),
    z.strictObject({ type: z.literal('unsubscribe'), id }),
    z.strictObject({ type: z.literal('ping'), id: id.optional() }),
  ],
  'give an object with a type of subscribe, unsubscribe or ping',
)

/** Reads a message of a client. @param text undefined where it was not text */
export function parseClientMessage(text: string | undefined): ClientMessage | ClientMistake {
  let content: unknown
  try {
    content = text === undefined ? undefined : JSON.parse(text)
  } catch {
    content = undefined // said below, like whatever else is no message
  }
  if (content === undefined)
    return { code: 'bad_message', field: undefined, message: 'a message is one JSON object in a text frame' }
  const parsed = clientMessage.safeParse(content)
  if (!parsed.success) return mistakeOf(parsed.error, content)
  const { data } = parsed
  if (data.type !== 'subscribe') return data.type === 'ping' ? { type: 'ping', id: data.id } : data
  if (data.from !== undefined && data.after !== undefined) {
    return { code: 'bad_message', field: 'after', message: 'give either from or after, not both', id: data.id }
  }
  return {
    type: 'subscribe',
    id: data.id,
    filter: createFilter(data.filter ?? {}),
    place: data.after === undefined ? placeAt(data.from) : parseMark(data.after),
    isBatch: data.batch,
  }
}

function placeAt(height: number | undefined): Mark | undefined {
  return height === undefined ? undefined : { height, had: undefined }
}

function mistakeOf(error: z.ZodError, content: unknown): ClientMistake {
  const [issue] = error.issues
  const path = issue?.path.map(String) ?? []
  if (issue?.code === 'unrecognized_keys') path.push(issue.keys[0] ?? '')
  const message =
    issue?.code === 'unrecognized_keys' ? 'there is no such field: leave it out' : (issue?.message ?? 'not valid')
  const own = id.safeParse(typeof content === 'object' && content !== null && 'id' in content ? content.id : undefined)
  return {
    code: 'bad_message',
    field: path.join('.').slice(0, longestField) || undefined,
    message,
    ...(own.success ? { id: own.data } : {}),
  }
}
