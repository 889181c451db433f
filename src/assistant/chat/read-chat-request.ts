import { ApiError } from '../../platform/errors.ts'
import { isShallow, tooDeep } from '../../platform/http/read-json.ts'
import { isChatMode } from './chat-types.ts'
import type { ChatDataParts, ChatMessage, ChatMode } from './chat-types.ts'
import { charactersOf, historyLimits, isJsonObject, repairAnswer } from './repair-answer.ts'
import type { JsonObject } from './repair-answer.ts'

export interface ChatRequest {
  /**
   * Alternating; the first and the last are the user's. Every tool call has a result or an error.
   */
  readonly messages: readonly ChatMessage[]
  readonly mode: ChatMode | undefined
  readonly notices: readonly ChatDataParts['notice'][]
}

/** The client shows the answer as one; only the model sees this. */
export const continueRequest = {
  role: 'user',
  parts: [
    {
      type: 'text',
      text:
        '[Note from the chat service: the user pressed Continue. You may call tools again. Continue your last answer ' +
        'where it ended, and do not repeat it.]',
    },
  ],
} as const

const fileTypes: ReadonlySet<unknown> = new Set([
  'file',
  'image',
  'image_url',
  'input_image',
  'input_file',
  'reasoning-file',
])

/**
 * Conversation history comes from the client and is untrusted: only text, tool calls and tool
 * results pass.
 *
 * @throws ApiError 400 `invalid-field`, `system-message`, `files-not-taken`, `no-question`,
 *   `too-deep`; 413 `message-too-long`
 */
export function readChatRequest(body: unknown, maxCharacters: number = historyLimits.characters): ChatRequest {
  if (!isShallow(body)) throw tooDeep()
  if (!isJsonObject(body)) throw invalid(undefined, 'The body must be a JSON object with the list "messages".')
  const { messages: given, mode, trigger } = body
  if (!Array.isArray(given) || given.length === 0)
    throw invalid('messages', 'Field "messages" must be a list of messages that ends with the question.')
  const sent: readonly unknown[] = given
  const isContinued = body['continue'] === true && roleOf(sent.at(-1)) === 'assistant'
  const messages = isContinued ? [...sent, continueRequest] : sent
  const relevant =
    trigger === 'regenerate-message'
      ? messages.slice(0, messages.findLastIndex((message) => roleOf(message) === 'user') + 1)
      : messages
  const last = relevant.length - 1
  if (roleOf(relevant[last]) === 'assistant' || last < 0)
    throw new ApiError(400, 'no-question', "The last message must be the user's question.", {
      field: `messages[${Math.max(0, last)}]`,
    })

  const offset = Math.max(0, relevant.length - historyLimits.messages)
  const read = relevant.slice(offset).map((message, i) => readMessage(message, `messages[${offset + i}]`))
  if (read.at(-1) === undefined) throw invalid(`messages[${last}]`, 'The last message has no text.')
  const nonEmpty = read.filter((message) => message !== undefined)
  const fromFirstQuestion = nonEmpty.slice(nonEmpty.findIndex(({ role }) => role === 'user'))
  const kept = fitHistory(fromFirstQuestion, maxCharacters, isContinued ? 3 : 1)
  const left = (offset === 0 ? fromFirstQuestion : [...relevant.slice(0, offset), ...nonEmpty]).length - kept.length
  return {
    messages: mergeTurns(uniqueCallIds(kept)).map((message, i) => ({ id: `message-${i + 1}`, ...message })),
    mode: isChatMode(mode) ? mode : undefined,
    notices: left === 0 ? [] : [leftOut(left)],
  }
}

/** Undefined for an empty message. @param place for errors, such as `messages[2]` */
function readMessage(message: unknown, place: string): HistoryMessage | undefined {
  const role = roleOf(message)
  if (!isJsonObject(message)) throw invalid(place, `Field "${place}" must be an object with "role" and "parts".`)
  if (role === 'system' || role === 'developer') {
    throw new ApiError(
      400,
      'system-message',
      `${place} has the role ${role}, which clients may not set. Remove the message.`,
      { field: place },
    )
  }
  if (role !== 'user' && role !== 'assistant')
    throw invalid(`${place}.role`, `Field "${place}.role" must be user or assistant.`)
  const parts = role === 'user' ? readQuestion(partsOf(message, place), place) : repairAnswer(partsOf(message, place))
  return parts.length === 0 ? undefined : { role, parts }
}

/** Clients of other protocols send `content`, a string or parts. */
function partsOf({ parts, content }: JsonObject, place: string): readonly unknown[] {
  if (Array.isArray(parts)) return parts
  if (parts === undefined && typeof content === 'string') return [{ type: 'text', text: content }]
  if (parts === undefined && Array.isArray(content)) return content
  throw invalid(
    `${place}.parts`,
    `Field "${place}.parts" must be a list of parts, such as {"type": "text", "text": "…"}.`,
  )
}

/** This service or the provider would have to fetch file URLs. */
function readQuestion(parts: readonly unknown[], place: string): HistoryMessage['parts'] {
  const texts = parts.flatMap((part, i) => {
    if (!isJsonObject(part)) return []
    if (fileTypes.has(part['type'])) {
      throw new ApiError(
        400,
        'files-not-taken',
        `${place}.parts[${i}] is a file or an image; only text is supported. Remove it.`,
        { field: `${place}.parts[${i}]` },
      )
    }
    return part['type'] === 'text' && typeof part['text'] === 'string' && part['text'].trim() !== ''
      ? [part['text'].toWellFormed()]
      : []
  })
  const text = texts.join('\n\n')
  if (text.length > historyLimits.messageCharacters) {
    throw new ApiError(
      413,
      'message-too-long',
      `Message too long: ${place} has ${text.length} characters; the limit is ${historyLimits.messageCharacters}.`,
      { field: place },
    )
  }
  return text === '' ? [] : [{ type: 'text', text }]
}

function leftOut(count: number): ChatDataParts['notice'] {
  const messages = count === 1 ? 'the first message was' : `the first ${count} messages were`
  return {
    code: 'history-cut',
    text: `Long conversation: ${messages} not sent to the model. Start a new chat for another subject.`,
  }
}

function roleOf(message: unknown): unknown {
  return isJsonObject(message) ? message['role'] : undefined
}

function invalid(field: string | undefined, text: string): ApiError {
  return new ApiError(400, 'invalid-field', text, field === undefined ? {} : { field })
}

const idPattern = /^[\w-]{1,64}$/

/** Providers match results by unique, valid ids. Such ids stay. */
function uniqueCallIds(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const taken = new Set(
    messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.toolCallId] : []))),
  )
  const seen = new Set<string>()
  let made = 0
  const idOf = (given: string): string => {
    let id = given
    while (!idPattern.test(id) || seen.has(id)) {
      do id = `call_${++made}`
      while (taken.has(id))
    }
    seen.add(id)
    return id
  }
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => (part.type === 'dynamic-tool' ? { ...part, toolCallId: idOf(part.toolCallId) } : part)),
  }))
}

type HistoryMessage = Pick<ChatMessage, 'role' | 'parts'>

/** @param minKept newest messages that are sent whatever their size */
function fitHistory(
  messages: readonly HistoryMessage[],
  maxCharacters: number,
  minKept: number,
): readonly HistoryMessage[] {
  let first = messages.length
  let characters = 0
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]
    if (message === undefined) break
    characters += charactersOf(message.parts)
    if (characters > maxCharacters && messages.length - i > minKept) break
    if (message.role === 'user') first = i
  }
  return messages.slice(first)
}

/** Some servers refuse consecutive messages of one role. */
function mergeTurns(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const turns: HistoryMessage[] = []
  for (const message of messages) {
    const before = turns.at(-1)
    if (before?.role !== message.role) turns.push(message)
    else
      turns[turns.length - 1] = {
        role: message.role,
        parts:
          message.role === 'user'
            ? oneText([before, message])
            : [...before.parts, { type: 'step-start' }, ...message.parts],
      }
  }
  return turns
}

function oneText(messages: readonly HistoryMessage[]): ChatMessage['parts'] {
  const text = messages
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
    .join('\n\n')
  return [{ type: 'text', text }]
}
