import type { ProjectState } from '../project/project-state.ts'

/** A project as a browser keeps it, until a service has all of it. */
export interface Draft {
  readonly id: string
  /** Of the project that it is a version of; undefined for one that no service has. */
  readonly projectId: string | undefined
  /** Whose changes they are; undefined while nobody was signed in. */
  readonly userId: string | undefined
  readonly state: ProjectState
  /** ms since 1970 */
  readonly changedAt: number
}

const storeName = 'drafts'
let opened: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('flowfarm-editor', 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName, { keyPath: 'id' }))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser keeps nothing.')))
    request.addEventListener('blocked', () =>
      reject(new Error('Another tab holds what the browser keeps for this page.')),
    )
  })
  return opened
}

async function ask<Answer>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<Answer>,
): Promise<Answer> {
  const database = await open()
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(storeName, mode, { durability: 'relaxed' })
    const request = act(transaction.objectStore(storeName))
    // Only then is it written: a request may succeed and its transaction fail, such as for want of room.
    transaction.addEventListener('complete', () => resolve(request.result))
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('The browser did not keep it.')))
    transaction.addEventListener('error', () => reject(transaction.error ?? new Error('The browser did not keep it.')))
  })
}

/** What this browser keeps of projects. All throw where it keeps nothing, or has no room left. */

export async function writeDraft(draft: Draft): Promise<void> {
  await ask('readwrite', (store) => store.put(draft))
}

export async function removeDraft(id: string): Promise<void> {
  await ask('readwrite', (store) => store.delete(id))
}

export async function readDrafts(): Promise<readonly Draft[]> {
  return ask<Draft[]>('readonly', (store) => store.getAll() as IDBRequest<Draft[]>)
}

/** Newest first, without those that another tab works on. @param own the draft of this tab */
export async function freeDrafts(own: string | undefined): Promise<readonly Draft[]> {
  const held = await heldDrafts()
  return (await readDrafts())
    .filter(({ id }) => id === own || !held.has(id))
    .sort((one, other) => other.changedAt - one.changedAt)
}

const lockPrefix = 'flowfarm-draft-'

/** Browsers give locks to pages of HTTPS and of this machine alone. */
function locks(): LockManager | undefined {
  return (navigator as { readonly locks?: LockManager }).locks
}

async function heldDrafts(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locks()?.query()) ?? {}
  return new Set(
    held.flatMap(({ name }) => (name?.startsWith(lockPrefix) === true ? [name.slice(lockPrefix.length)] : [])),
  )
}

/** Has other tabs leave a draft alone, for as long as this tab is there or until it is let go. @returns what lets it go */
export function holdDraft(id: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = locks()?.request(lockPrefix + id, { ifAvailable: true }, () => promise)
  held?.catch((error: unknown) => {
    // The page is being left.
    if (!(error instanceof DOMException)) throw error
  })
  return resolve
}
