import { useSyncExternalStore } from 'react'
import type { ChatMessage } from '../contract.ts'
import { openThreadStore } from './thread-store.ts'
import type { Thread, ThreadStore } from './thread-store.ts'
import { threadTitle } from './thread-title.ts'

/** All conversations of this device, and whether they stay. */
export interface Threads {
  readonly isRead: boolean
  readonly isLasting: boolean
  /** The last conversation could not be kept: the browser has no more room for it. */
  readonly isFull: boolean
  readonly list: readonly Thread[]
}

let state: Threads = { isRead: false, isLasting: true, isFull: false, list: [] }
const listeners = new Set<() => void>()
let opened: Promise<ThreadStore> | undefined
/** Other tabs of this page, which show the same list. */
const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('flowfarm-chat')
const changedElsewhere = new Set<(id: string) => void>()

tabs?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  void refresh()
  if (typeof data === 'string') for (const tell of changedElsewhere) tell(data)
})

function set(changes: Partial<Threads>): void {
  state = { ...state, ...changes }
  for (const listener of listeners) listener()
}

function store(): Promise<ThreadStore> {
  opened ??= openThreadStore()
  return opened
}

async function refresh(): Promise<void> {
  const kept = await store()
  set({ list: await kept.list(), isRead: true, isLasting: kept.isLasting })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (!state.isRead) void refresh()
  return () => listeners.delete(listener)
}

export function useThreads(): Threads {
  return useSyncExternalStore(subscribe, () => state)
}

/** Is told the id of a conversation that another tab changed. */
export function onChangeElsewhere(tell: (id: string) => void): () => void {
  changedElsewhere.add(tell)
  return () => changedElsewhere.delete(tell)
}

export async function readThread(id: string): Promise<readonly ChatMessage[]> {
  return (await store()).read(id)
}

/** Conversations that were deleted while an answer was on its way: it is not to bring them back. */
const removed = new Set<string>()

/** What was kept or read last of each conversation: who only looks at one does not make it the newest. */
const asKept = new Map<string, readonly ChatMessage[]>()

/** Tells that these are the messages as they are kept. */
export function noteKept(id: string, messages: readonly ChatMessage[]): void {
  asKept.set(id, messages)
}

/** Keeps a conversation as it is now, if anything was said since. Where there is no room for it, the page says so and goes on. */
export async function keepThread(id: string, messages: readonly ChatMessage[]): Promise<void> {
  const first = messages.find(({ role }) => role === 'user')
  if (first === undefined || removed.has(id) || asKept.get(id) === messages) return
  asKept.set(id, messages)
  const kept = await store()
  // Its title is in the list.
  if (!state.isRead) await refresh()
  const known = state.list.find((thread) => thread.id === id)
  const now = Date.now()
  const question = first.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
  const thread: Thread = {
    id,
    title: known?.title ?? threadTitle(question),
    createdAt: known?.createdAt ?? now,
    updatedAt: now,
  }
  try {
    await kept.write(thread, messages)
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    asKept.delete(id)
    set({ isFull: true })
    return
  }
  set({ isFull: false })
  await changed(id)
}

export async function renameThread(id: string, title: string): Promise<void> {
  await (await store()).rename(id, threadTitle(title))
  await changed(id)
}

export async function removeThread(id: string): Promise<void> {
  removed.add(id)
  await (await store()).remove(id)
  await changed(id)
}

export async function removeAllThreads(): Promise<void> {
  for (const { id } of state.list) removed.add(id)
  await (await store()).clear()
  await changed('')
}

async function changed(id: string): Promise<void> {
  await refresh()
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin, and takes no other.
  tabs?.postMessage(id)
}
