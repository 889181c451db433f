import { useSyncExternalStore } from 'react'
import type { ChatMessage } from './messages.ts'
import { threadTitle } from './thread-text.ts'
import type { Thread } from './thread-text.ts'

/** All conversations of this device, and whether they stay. */
interface Threads {
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

/** Saves a conversation if it changed. If storage is full, the page reports it and continues. */
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
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel takes no other origin.
  tabs?.postMessage(id)
}

/** Where conversations are kept: on this device, and nowhere else. */
interface ThreadStore {
  /** Whether they are there after the tab was closed. */
  readonly isLasting: boolean
  /** Newest first. */
  list(): Promise<readonly Thread[]>
  read(id: string): Promise<readonly ChatMessage[]>
  /** @throws DOMException `QuotaExceededError` where the browser has no more room */
  write(thread: Thread, messages: readonly ChatMessage[]): Promise<void>
  rename(id: string, title: string): Promise<void>
  remove(id: string): Promise<void>
  clear(): Promise<void>
}

export const threads = 'threads'

const messages = 'messages'

/** Opens IndexedDB; where it is unavailable, conversations last as long as the tab. */
async function openThreadStore(name = 'flowfarm-chat'): Promise<ThreadStore> {
  try {
    return storeIn(await openDatabase(name))
  } catch (error) {
    if (error instanceof DOMException || error instanceof ReferenceError || error instanceof TypeError)
      return storeInMemory()
    throw error
  }
}

function openDatabase(name: string): Promise<IDBDatabase> {
  const { promise, resolve, reject } = Promise.withResolvers<IDBDatabase>()
  const request = indexedDB.open(name, 1)
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore(threads, { keyPath: 'id' })
    request.result.createObjectStore(messages, { keyPath: 'id' })
  })
  request.addEventListener('success', () => {
    // Another tab with a newer page wants to change it.
    request.result.addEventListener('versionchange', () => request.result.close())
    resolve(request.result)
  })
  request.addEventListener('error', () => reject(request.error ?? new DOMException('The browser keeps nothing.')))
  request.addEventListener('blocked', () => reject(new DOMException('Another tab holds what is kept.')))
  return promise
}

function storeIn(database: IDBDatabase): ThreadStore {
  /** Lists and messages are in stores of their own: to show the list, no conversation is read. */
  const change = async (
    act: (stores: { readonly threads: IDBObjectStore; readonly messages: IDBObjectStore }) => void,
  ): Promise<void> => {
    const transaction = database.transaction([threads, messages], 'readwrite')
    act({ threads: transaction.objectStore(threads), messages: transaction.objectStore(messages) })
    await done(transaction)
  }
  return {
    isLasting: true,
    list: async () =>
      newestFirst(await answered<Thread[]>(database.transaction(threads).objectStore(threads).getAll())),
    read: async (id) => {
      const kept = await answered<{ messages: ChatMessage[] } | undefined>(
        database.transaction(messages).objectStore(messages).get(id),
      )
      return kept?.messages ?? []
    },
    write: (thread, said) =>
      change((stores) => {
        stores.threads.put(thread)
        stores.messages.put({ id: thread.id, messages: said })
      }),
    rename: (id, title) =>
      change((stores) => {
        const request = stores.threads.get(id) as IDBRequest<Thread | undefined>
        request.addEventListener('success', () => {
          if (request.result !== undefined) stores.threads.put({ ...request.result, title })
        })
      }),
    remove: (id) =>
      change((stores) => {
        stores.threads.delete(id)
        stores.messages.delete(id)
      }),
    clear: () =>
      change((stores) => {
        stores.threads.clear()
        stores.messages.clear()
      }),
  }
}

function answered<Result>(request: IDBRequest): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  request.addEventListener('success', () => resolve(request.result as Result))
  request.addEventListener('error', () => reject(request.error ?? new DOMException('Nothing could be read.')))
  return promise
}

function done(transaction: IDBTransaction): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  transaction.addEventListener('complete', () => resolve())
  for (const end of ['abort', 'error'])
    transaction.addEventListener(end, () => reject(transaction.error ?? new DOMException('Nothing could be kept.')))
  return promise
}

function storeInMemory(): ThreadStore {
  const kept = new Map<string, { thread: Thread; messages: readonly ChatMessage[] }>()
  return {
    isLasting: false,
    list: async () => newestFirst([...kept.values()].map(({ thread }) => thread)),
    read: async (id) => kept.get(id)?.messages ?? [],
    write: async (thread, said) => void kept.set(thread.id, { thread, messages: said }),
    rename: async (id, title) => {
      const found = kept.get(id)
      if (found !== undefined) kept.set(id, { ...found, thread: { ...found.thread, title } })
    },
    remove: async (id) => void kept.delete(id),
    clear: async () => kept.clear(),
  }
}

function newestFirst(list: readonly Thread[]): readonly Thread[] {
  return list.toSorted((a, b) => b.updatedAt - a.updatedAt)
}
