import type { ChatMessage } from '../contract.ts'

/** What the list shows of a conversation. Times in ms. */
export interface Thread {
  readonly id: string
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
}

/** Where conversations are kept: on this device, and nowhere else. */
export interface ThreadStore {
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

const threads = 'threads'
const messages = 'messages'

/** Opens what this browser keeps. One that keeps nothing, or is told not to, has a store that lives as long as the tab. */
export async function openThreadStore(name = 'flowfarm-chat'): Promise<ThreadStore> {
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
