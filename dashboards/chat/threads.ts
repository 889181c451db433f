import { useSyncExternalStore } from 'react'
import type { Branch, ChatMessage, Versions } from './messages.ts'
import type { ThreadFeedback, ThreadShare } from './shares.ts'
import { findWords, searchableText, threadTitle } from './thread-text.ts'
import type { FoundText, Thread } from './thread-text.ts'

interface Threads {
  readonly isRead: boolean
  readonly isPersistent: boolean
  readonly isFull: boolean
  readonly list: readonly Thread[]
}

let state: Threads = { isRead: false, isPersistent: true, isFull: false, list: [] }

const listeners = new Set<() => void>()

let opened: Promise<ThreadStore> | undefined

const tabs = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('flowfarm-chat')

const remoteChangeListeners = new Set<(id: string) => void>()

tabs?.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
  void refresh()
  if (typeof data === 'string') for (const listener of remoteChangeListeners) listener(data)
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
  const threadStore = await store()
  set({ list: await threadStore.list(), isRead: true, isPersistent: threadStore.isPersistent })
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  if (!state.isRead) void refresh()
  return () => listeners.delete(listener)
}

export function useThreads(): Threads {
  return useSyncExternalStore(subscribe, () => state)
}

export function onRemoteChange(listener: (id: string) => void): () => void {
  remoteChangeListeners.add(listener)
  return () => remoteChangeListeners.delete(listener)
}

export async function readThread(id: string): Promise<Versions> {
  return (await store()).read(id)
}

/** Deleted while an answer was streaming; a late save must not restore them. */
const removed = new Set<string>()

/** Opening a conversation does not make it the newest. */
const savedMessages = new Map<string, readonly ChatMessage[]>()

export function markSaved(id: string, messages: readonly ChatMessage[]): void {
  savedMessages.set(id, messages)
}

/** @param title of a new conversation; default: its first question */
export async function saveThread(id: string, { messages, branches }: Versions, title?: string): Promise<void> {
  const first = messages.find(({ role }) => role === 'user')
  if (first === undefined || removed.has(id) || savedMessages.get(id) === messages) return
  savedMessages.set(id, messages)
  const threadStore = await store()
  if (!state.isRead) await refresh()
  const known = state.list.find((thread) => thread.id === id)
  const now = Date.now()
  const question = first.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ')
  const thread: Thread = {
    ...known,
    id,
    title: known?.title ?? threadTitle(title ?? question),
    createdAt: known?.createdAt ?? now,
    updatedAt: now,
  }
  try {
    await threadStore.write(thread, { messages, branches })
  } catch (error) {
    if (!(error instanceof DOMException)) throw error
    savedMessages.delete(id)
    set({ isFull: true })
    return
  }
  set({ isFull: false })
  await changed(id)
}

/** Text of conversations as of their last change, read by the first search. */
const texts = new Map<string, { readonly updatedAt: number; readonly text: string }>()

export interface FoundThread extends FoundText {
  readonly thread: Thread
}

/** Searches the shown branch of each conversation. */
export async function searchThreads(words: string, list: readonly Thread[]): Promise<readonly FoundThread[]> {
  const found: FoundThread[] = []
  for (const thread of list) {
    let known = texts.get(thread.id)
    if (known?.updatedAt !== thread.updatedAt) {
      known = { updatedAt: thread.updatedAt, text: searchableText((await readThread(thread.id)).messages) }
      texts.set(thread.id, known)
    }
    const place = findWords(words, thread.title, known.text)
    if (place !== undefined) found.push({ thread, ...place })
  }
  return found
}

export async function renameThread(id: string, title: string): Promise<void> {
  await (await store()).change(id, (thread) => ({ ...thread, title: threadTitle(title) }))
  await changed(id)
}

/** Its link; undefined if it was revoked. */
export async function setThreadShare(id: string, share: ThreadShare | undefined): Promise<void> {
  await (await store()).change(id, (thread) => ({ ...thread, share }))
  await changed(id)
}

export async function setThreadFeedback(id: string, feedback: ThreadFeedback): Promise<void> {
  await (await store()).change(id, (thread) => ({ ...thread, feedback }))
  await changed(id)
}

export async function setCallConfirmed(id: string, callId: string): Promise<void> {
  await (await store()).change(id, (thread) => ({ ...thread, confirmed: [...(thread.confirmed ?? []), callId] }))
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

interface ThreadStore {
  readonly isPersistent: boolean
  list(): Promise<readonly Thread[]>
  read(id: string): Promise<Versions>
  /** @throws DOMException `QuotaExceededError` if storage is full */
  write(thread: Thread, versions: Versions): Promise<void>
  change(id: string, edit: (thread: Thread) => Thread): Promise<void>
  remove(id: string): Promise<void>
  clear(): Promise<void>
}

export const threads = 'threads'

const messages = 'messages'

/** Without IndexedDB, conversations last as long as the tab. */
async function openThreadStore(): Promise<ThreadStore> {
  try {
    return storeIn(await openDatabase('flowfarm-chat'))
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
    // A newer version of the page wants to upgrade the database.
    request.result.addEventListener('versionchange', () => request.result.close())
    resolve(request.result)
  })
  request.addEventListener('error', () =>
    reject(request.error ?? new DOMException('Could not open the browser storage.')),
  )
  request.addEventListener('blocked', () => reject(new DOMException('Another tab blocks the browser storage.')))
  return promise
}

function storeIn(database: IDBDatabase): ThreadStore {
  /** Separate stores, so that the list does not read conversations. */
  const change = async (
    act: (stores: { readonly threads: IDBObjectStore; readonly messages: IDBObjectStore }) => void,
  ): Promise<void> => {
    const transaction = database.transaction([threads, messages], 'readwrite')
    act({ threads: transaction.objectStore(threads), messages: transaction.objectStore(messages) })
    await done(transaction)
  }
  return {
    isPersistent: true,
    list: async () =>
      newestFirst(await requestResult<Thread[]>(database.transaction(threads).objectStore(threads).getAll())),
    read: async (id) => {
      const stored = await requestResult<{ messages: ChatMessage[]; branches?: Branch[] } | undefined>(
        database.transaction(messages).objectStore(messages).get(id),
      )
      return { messages: stored?.messages ?? [], branches: stored?.branches ?? [] }
    },
    write: (thread, versions) =>
      change((stores) => {
        stores.threads.put(thread)
        stores.messages.put({ id: thread.id, ...versions })
      }),
    change: (id, edit) =>
      change((stores) => {
        const request = stores.threads.get(id) as IDBRequest<Thread | undefined>
        request.addEventListener('success', () => {
          if (request.result !== undefined) stores.threads.put(edit(request.result))
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

function requestResult<Result>(request: IDBRequest): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>()
  request.addEventListener('success', () => resolve(request.result as Result))
  request.addEventListener('error', () =>
    reject(request.error ?? new DOMException('Could not read the browser storage.')),
  )
  return promise
}

function done(transaction: IDBTransaction): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  transaction.addEventListener('complete', () => resolve())
  for (const end of ['abort', 'error'])
    transaction.addEventListener(end, () =>
      reject(transaction.error ?? new DOMException('Could not write to the browser storage.')),
    )
  return promise
}

function storeInMemory(): ThreadStore {
  const entries = new Map<string, Versions & { thread: Thread }>()
  return {
    isPersistent: false,
    list: async () => newestFirst([...entries.values()].map(({ thread }) => thread)),
    read: async (id) => entries.get(id) ?? { messages: [], branches: [] },
    write: async (thread, versions) => void entries.set(thread.id, { thread, ...versions }),
    change: async (id, edit) => {
      const found = entries.get(id)
      if (found !== undefined) entries.set(id, { ...found, thread: edit(found.thread) })
    },
    remove: async (id) => void entries.delete(id),
    clear: async () => entries.clear(),
  }
}

function newestFirst(list: readonly Thread[]): readonly Thread[] {
  return list.toSorted((a, b) => b.updatedAt - a.updatedAt)
}
