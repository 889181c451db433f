import type { UIMessage, UIMessageChunk } from 'ai'
import type { AnswerMetadata, Notice } from './answers.gen.ts'

export type ChatMessage = UIMessage<AnswerMetadata, { notice: Notice }>
export type MessagePart = ChatMessage['parts'][number]

/** Limits of the service: 200 messages, 4 MB including the rest of the request. */
const maxMessages = 200
const maxBytes = 3_500_000

/** The newest whole turns that fit the limits of the service. */
export function historyToSend(messages: readonly ChatMessage[]): ChatMessage[] {
  const encoder = new TextEncoder()
  let bytes = 0
  let from = messages.length
  for (let i = messages.length - 1; i >= 0 && messages.length - i <= maxMessages; i--) {
    bytes += encoder.encode(JSON.stringify(messages[i])).length
    if (bytes > maxBytes) break
    if (messages[i]?.role === 'user') from = i
  }
  return from === messages.length ? messages.slice(-1) : messages.slice(from)
}

/** The rest of a conversation from an earlier version of a question on. */
export interface Branch {
  /** Id of the message before it; empty at the start. */
  readonly after: string
  /** Among the versions of its first message. */
  readonly position: number
  readonly messages: readonly ChatMessage[]
}

export interface Versions {
  readonly messages: readonly ChatMessage[]
  readonly branches: readonly Branch[]
}

/** The versions of the message at an index, and which of them is shown. */
export function versionsAt({ messages, branches }: Versions, index: number): { position: number; count: number } {
  const after = messages[index - 1]?.id ?? ''
  const hidden = branches.filter((branch) => branch.after === after).map(({ position }) => position)
  const count = hidden.length + 1
  return { position: Array.from({ length: count }, (_, i) => i).find((i) => !hidden.includes(i)) ?? 0, count }
}

/** Hides the messages from an index on, for another version of the message there. */
export function branchAt(versions: Versions, index: number): Versions {
  const { messages, branches } = versions
  const after = messages[index - 1]?.id ?? ''
  const { position } = versionsAt(versions, index)
  return {
    messages: messages.slice(0, index),
    branches: [...branches, { after, position, messages: messages.slice(index) }],
  }
}

/** Shows another version of the message at an index, with what followed it. */
export function showVersion(versions: Versions, index: number, position: number): Versions {
  const after = versions.messages[index - 1]?.id ?? ''
  const chosen = versions.branches.find((branch) => branch.after === after && branch.position === position)
  if (chosen === undefined) return versions
  const { messages, branches } = branchAt(versions, index)
  return { messages: [...messages, ...chosen.messages], branches: branches.filter((branch) => branch !== chosen) }
}

/** The service truncates longer results. */
const maxOutputCharacters = 30_000

const sizes = new WeakMap<ChatMessage, number>()

/** About as the service counts them: only texts and tool calls go to the model again. */
export function contextCharacters(messages: readonly ChatMessage[]): number {
  return messages.reduce((total, message) => {
    const size = sizes.get(message) ?? messageCharacters(message)
    sizes.set(message, size)
    return total + size
  }, 0)
}

function messageCharacters({ parts }: ChatMessage): number {
  return parts.reduce((total, part) => {
    if (part.type === 'text') return total + part.text.length
    if (!('toolCallId' in part)) return total
    const output = 'output' in part ? outputText(part.output) : ''
    return total + JSON.stringify(part.input ?? {}).length + Math.min(maxOutputCharacters, output.length)
  }, 0)
}

function outputText(output: unknown): string {
  const content = typeof output === 'object' && output !== null && 'content' in output ? output.content : output
  return JSON.stringify(content) ?? ''
}

type Delta = Extract<UIMessageChunk, { type: 'text-delta' | 'reasoning-delta' }>

/**
 * Merges text deltas that arrive in quick succession: each one makes React copy the whole answer.
 * @param everyMs minimum time between merged deltas
 */
export function mergeDeltas(everyMs: number): TransformStream<UIMessageChunk, UIMessageChunk> {
  let held: Delta | undefined
  let last = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined
  const release = (controller: TransformStreamDefaultController<UIMessageChunk>): void => {
    clearTimeout(timer)
    timer = undefined
    if (held === undefined) return
    const piece = held
    held = undefined
    last = performance.now()
    controller.enqueue(piece)
  }
  const releaseLate = (controller: TransformStreamDefaultController<UIMessageChunk>): void => {
    try {
      release(controller)
    } catch (error) {
      // The reader has closed: the connection was lost or the answer was stopped.
      if (!(error instanceof TypeError)) throw error
    }
  }
  return new TransformStream({
    transform: (chunk, controller) => {
      if (!isDelta(chunk)) {
        release(controller)
        controller.enqueue(chunk)
        return
      }
      if (held !== undefined && (held.type !== chunk.type || held.id !== chunk.id)) release(controller)
      held = held === undefined ? chunk : { ...held, delta: held.delta + chunk.delta }
      const wait = last + everyMs - performance.now()
      if (wait <= 0) release(controller)
      else timer ??= setTimeout(() => releaseLate(controller), wait)
    },
    flush: release,
  })
}

function isDelta(chunk: UIMessageChunk): chunk is Delta {
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta'
}
