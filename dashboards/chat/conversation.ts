import { Chat } from '@ai-sdk/react'
import { generateId, DefaultChatTransport } from 'ai'
import type { UIMessageChunk } from 'ai'
import { useSyncExternalStore } from 'react'
import type { ChatMode, Notice } from './answers.gen.ts'
import type { ChatMessage } from './messages.ts'
import { historyToSend, mergeDeltas } from './messages.ts'
import { ApiProblem } from '../kit/api.ts'
import { bearer, callChat } from './settings.ts'
import { keepThread, noteKept, readThread } from './threads.ts'

/** A conversation that is open in this tab; its answer goes on when one looks at another. */
export interface Conversation {
  readonly id: string
  readonly chat: Chat<ChatMessage>
}

/** What is known of the answers of this tab, and not part of them. */
interface Doings {
  /** Conversations in which an answer is being written. */
  readonly running: ReadonlySet<string>
  /** Answers that the person stopped. */
  readonly stopped: ReadonlySet<string>
  /** What the answer under way goes on without, by conversation. */
  readonly notices: Readonly<Record<string, readonly Notice[]>>
}

const open = new Map<string, Conversation>()
let doings: Doings = { running: new Set(), stopped: new Set(), notices: {} }
const listeners = new Set<() => void>()

function set(changes: Partial<Doings>): void {
  doings = { ...doings, ...changes }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useDoings(): Doings {
  return useSyncExternalStore(subscribe, () => doings)
}

/** A conversation in which nothing was said. */
export function newConversation(): Conversation {
  return begin(generateId(), [])
}

/** The conversation of this id, as it is open or as it was kept; undefined where there is none. */
export async function openConversation(id: string): Promise<Conversation | undefined> {
  const known = open.get(id)
  if (known !== undefined) return known
  const messages = await readThread(id)
  // It may have been opened meanwhile.
  return open.get(id) ?? (messages.length === 0 ? undefined : begin(id, messages))
}

function begin(id: string, messages: readonly ChatMessage[]): Conversation {
  const chat: Chat<ChatMessage> = new Chat<ChatMessage>({
    id,
    messages: [...messages],
    transport,
    onData: (part) => {
      if (part.type === 'data-notice')
        set({ notices: { ...doings.notices, [id]: [...(doings.notices[id] ?? []), part.data] } })
    },
    onFinish: () => void keepThread(id, chat.messages),
  })
  const conversation = { id, chat }
  open.set(id, conversation)
  noteKept(id, chat.messages)
  return conversation
}

/** Takes what another tab made of a conversation, unless an answer is being written here. */
export async function readAgain(id: string): Promise<void> {
  const known = open.get(id)
  if (known === undefined || doings.running.has(id)) return
  const messages = await readThread(id)
  if (messages.length === 0 || doings.running.has(id)) return
  known.chat.messages = [...messages]
  noteKept(id, known.chat.messages)
}

/** Ends and forgets a conversation that was deleted. */
export async function closeConversation(id: string): Promise<void> {
  const known = open.get(id)
  open.delete(id)
  await known?.chat.stop()
}

export function ask({ id, chat }: Conversation, text: string, mode: ChatMode): void {
  void run(id, () => chat.sendMessage({ text }, { body: { mode } }))
}

/** Has the last question answered anew; what was answered to it is dropped. */
export function askAgain({ id, chat }: Conversation, mode: ChatMode): void {
  void run(id, () => chat.regenerate({ body: { mode } }))
}

/** Ends the answer that is being written; what there is of it stays. */
export function stop({ id, chat }: Conversation): void {
  if (!doings.running.has(id)) return
  const last = chat.messages.at(-1)
  if (last !== undefined) set({ stopped: new Set([...doings.stopped, last.id]) })
  void chat.stop()
}

async function run(id: string, act: () => Promise<void>): Promise<void> {
  if (doings.running.has(id)) return
  const { [id]: _, ...notices } = doings.notices
  set({ running: new Set([...doings.running, id]), notices })
  try {
    await act()
  } finally {
    set({ running: new Set([...doings.running].filter((each) => each !== id)) })
  }
}

/** Keeps what is being written in all conversations: the tab may be closed now. */
export function keepAll(): void {
  for (const id of doings.running) {
    const known = open.get(id)
    if (known !== undefined) void keepThread(id, known.chat.messages)
  }
}

const api = '/api/chat'

/** So often a person sees an answer grow. */
const growsEveryMs = 40

class AnswerTransport extends DefaultChatTransport<ChatMessage> {
  protected override processResponseStream(stream: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
    return super.processResponseStream(stream).pipeThrough(mergeDeltas(growsEveryMs))
  }
}

/** How questions go to the service. The token is the one that the tab has when a question is sent. */
const transport = new AnswerTransport({
  api,
  headers: () => bearer(),
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId, body }) => ({
    body: { ...body, id, trigger, messageId, messages: historyToSend(messages) },
  }),
  fetch: async (_, init = {}) => {
    const response = await callChat(api, init)
    if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
      await response.body?.cancel()
      throw new ApiProblem(
        502,
        'not-the-chat',
        'What answered is not the chat. Whatever stands before it may be set wrongly.',
      )
    }
    return response
  },
})
