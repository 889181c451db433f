import { Chat } from '@ai-sdk/react'
import { generateId, DefaultChatTransport } from 'ai'
import type { UIMessageChunk } from 'ai'
import { useSyncExternalStore } from 'react'
import type { ChatMode, Notice } from './answers.gen.ts'
import type { Branch, ChatMessage, Versions } from './messages.ts'
import { branchAt, historyToSend, mergeDeltas, showVersion } from './messages.ts'
import { ApiProblem } from '../kit/api.ts'
import { bearer, callChat } from './settings.ts'
import { saveThread, markSaved, readThread } from './threads.ts'

/** Its answer continues while another conversation is shown. */
export interface Conversation {
  readonly id: string
  readonly chat: Chat<ChatMessage>
}

interface ConversationActivity {
  readonly running: ReadonlySet<string>
  readonly stopped: ReadonlySet<string>
  readonly notices: Readonly<Record<string, readonly Notice[]>>
  readonly branches: Readonly<Record<string, readonly Branch[]>>
}

const open = new Map<string, Conversation>()
let activity: ConversationActivity = { running: new Set(), stopped: new Set(), notices: {}, branches: {} }
const listeners = new Set<() => void>()

function set(changes: Partial<ConversationActivity>): void {
  activity = { ...activity, ...changes }
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useActivity(): ConversationActivity {
  return useSyncExternalStore(subscribe, () => activity)
}

export function newConversation(): Conversation {
  return begin(generateId(), { messages: [], branches: [] })
}

export async function openConversation(id: string): Promise<Conversation | undefined> {
  const known = open.get(id)
  if (known !== undefined) return known
  const stored = await readThread(id)
  // Another call may have opened it in the meantime.
  return open.get(id) ?? (stored.messages.length === 0 ? undefined : begin(id, stored))
}

function begin(id: string, { messages, branches }: Versions): Conversation {
  const chat: Chat<ChatMessage> = new Chat<ChatMessage>({
    id,
    messages: [...messages],
    transport,
    onData: (part) => {
      if (part.type === 'data-notice')
        set({ notices: { ...activity.notices, [id]: [...(activity.notices[id] ?? []), part.data] } })
    },
    onFinish: () => save({ id, chat }),
  })
  const conversation = { id, chat }
  open.set(id, conversation)
  if (branches.length > 0) setBranches(id, branches)
  markSaved(id, chat.messages)
  return conversation
}

/** Does nothing while an answer is streaming here. */
export async function reloadConversation(id: string): Promise<void> {
  const known = open.get(id)
  if (known === undefined || activity.running.has(id)) return
  const { messages, branches } = await readThread(id)
  if (messages.length === 0 || activity.running.has(id)) return
  setBranches(id, branches)
  known.chat.messages = [...messages]
  markSaved(id, known.chat.messages)
}

export async function closeConversation(id: string): Promise<void> {
  const known = open.get(id)
  open.delete(id)
  await known?.chat.stop()
}

export function ask({ id, chat }: Conversation, text: string, mode: ChatMode): void {
  void run(id, () => chat.sendMessage({ text }, { body: { mode } }))
}

export function versionsOf({ id, chat }: Conversation): Versions {
  return { messages: chat.messages, branches: activity.branches[id] ?? [] }
}

/** Asks another version of an earlier question. The conversation from there on stays as a branch. */
export function edit(conversation: Conversation, index: number, text: string, mode: ChatMode): void {
  const { id, chat } = conversation
  if (activity.running.has(id)) return
  const { messages, branches } = branchAt(versionsOf(conversation), index)
  setBranches(id, branches)
  chat.messages = [...messages]
  ask(conversation, text, mode)
}

export function selectVersion(conversation: Conversation, index: number, position: number): void {
  const { id, chat } = conversation
  if (activity.running.has(id)) return
  const { messages, branches } = showVersion(versionsOf(conversation), index, position)
  setBranches(id, branches)
  chat.messages = [...messages]
  chat.clearError()
  save(conversation)
}

/** Resumes an answer that reached the limit of steps or of its length. */
export function resume({ id, chat }: Conversation, mode: ChatMode): void {
  void run(id, () => chat.sendMessage(undefined, { body: { mode, continue: true } }))
}

export function regenerate({ id, chat }: Conversation, mode: ChatMode): void {
  void run(id, () => chat.regenerate({ body: { mode } }))
}

export function stop({ id, chat }: Conversation): void {
  if (!activity.running.has(id)) return
  const last = chat.messages.at(-1)
  if (last !== undefined) set({ stopped: new Set([...activity.stopped, last.id]) })
  void chat.stop()
}

async function run(id: string, act: () => Promise<void>): Promise<void> {
  if (activity.running.has(id)) return
  const { [id]: _, ...notices } = activity.notices
  set({ running: new Set([...activity.running, id]), notices })
  try {
    await act()
  } finally {
    set({ running: new Set([...activity.running].filter((each) => each !== id)) })
  }
}

export function saveAll(): void {
  for (const id of activity.running) {
    const known = open.get(id)
    if (known !== undefined) save(known)
  }
}

export function save({ id, chat }: Conversation): void {
  void saveThread(id, { messages: chat.messages, branches: activity.branches[id] ?? [] })
}

function setBranches(id: string, branches: readonly Branch[]): void {
  set({ branches: { ...activity.branches, [id]: branches } })
}

const api = '/api/chat'

const growsEveryMs = 40

class AnswerTransport extends DefaultChatTransport<ChatMessage> {
  protected override processResponseStream(stream: ReadableStream<Uint8Array>): ReadableStream<UIMessageChunk> {
    return super.processResponseStream(stream).pipeThrough(mergeDeltas(growsEveryMs))
  }
}

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
        'The response did not come from the chat service. Check the proxy in front of it.',
      )
    }
    return response
  },
})
