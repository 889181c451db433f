import { problemText } from '../../auth/auth-service.ts'
import { isUnsaved } from './project-state.ts'
import type { ProjectStore, ProjectState } from './project-state.ts'

const pauseMs = 200

interface DraftKeeperOptions {
  readonly id: string
  readonly store: ProjectStore
  readonly userId: () => string | undefined
}

export interface DraftState {
  readonly isStored: boolean
  /** Error of the last write. */
  readonly problem: string | undefined
}

export class DraftStore {
  readonly #options: DraftKeeperOptions
  readonly #releaseDraft: () => void
  readonly #stopListening: () => void
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()
  #state: DraftState
  /** The first user who signed in; other users of the tab do not get the draft. */
  #owner: string | undefined

  constructor(options: DraftKeeperOptions, isStored: boolean) {
    this.#options = options
    this.#state = { isStored, problem: undefined }
    this.#releaseDraft = holdDraft(options.id)
    this.#stopListening = options.store.subscribe(() => {
      this.#timer ??= setTimeout(() => void this.storeNow(), pauseMs)
    })
    // A copy of another project is unsaved from the start.
    if (!isStored) void this.storeNow()
  }

  get state(): DraftState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  storeNow(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#keep())
    return this.#writing
  }

  /** @param isDiscarded deletes the draft */
  async close({ isDiscarded = false }: { readonly isDiscarded?: boolean } = {}): Promise<void> {
    this.#stopListening()
    if (isDiscarded) {
      clearTimeout(this.#timer)
      await this.#writing
      if (this.#state.isStored) await this.#try(false, () => removeDraft(this.#options.id))
    } else await this.storeNow()
    this.#listeners.clear()
    this.#releaseDraft()
  }

  async #keep(): Promise<void> {
    const { id, store, userId } = this.#options
    const { state } = store
    this.#owner ??= userId()
    if (isUnsaved(state))
      await this.#try(true, () =>
        writeDraft({ id, projectId: state.saved?.id, userId: this.#owner, state, changedAt: Date.now() }),
      )
    else if (this.#state.isStored) await this.#try(false, () => removeDraft(id))
  }

  /** @param isStored after success */
  async #try(isStored: boolean, act: () => Promise<void>): Promise<void> {
    const before = this.#state
    try {
      await act()
      if (before.isStored !== isStored || before.problem !== undefined) this.#state = { isStored, problem: undefined }
    } catch (error) {
      const problem = problemText(error)
      if (before.problem !== problem) this.#state = { isStored: before.isStored, problem }
    }
    if (this.#state !== before) for (const listener of this.#listeners) listener()
  }
}

export interface Draft {
  readonly id: string
  readonly projectId: string | undefined
  readonly userId: string | undefined
  readonly state: ProjectState
  /** Unix time, ms */
  readonly changedAt: number
}

const storeName = 'drafts'
let opened: Promise<IDBDatabase> | undefined

function open(): Promise<IDBDatabase> {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open('flowfarm-editor', 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName, { keyPath: 'id' }))
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('The browser blocks storage.')))
    request.addEventListener('blocked', () => reject(new Error('Another tab blocks the browser storage.')))
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
    // The data is stored when the transaction completes, which may still fail.
    transaction.addEventListener('complete', () => resolve(request.result))
    transaction.addEventListener('abort', () =>
      reject(transaction.error ?? new Error('Could not write to the browser storage.')),
    )
    transaction.addEventListener('error', () =>
      reject(transaction.error ?? new Error('Could not write to the browser storage.')),
    )
  })
}

/** All functions throw if storage is blocked or full. */

async function writeDraft(draft: Draft): Promise<void> {
  await ask('readwrite', (store) => store.put(draft))
}

async function removeDraft(id: string): Promise<void> {
  await ask('readwrite', (store) => store.delete(id))
}

async function readDrafts(): Promise<readonly Draft[]> {
  return ask<Draft[]>('readonly', (store) => store.getAll() as IDBRequest<Draft[]>)
}

/** Newest first, without those open in other tabs. @param own the draft of this tab */
export async function freeDrafts(own: string | undefined): Promise<readonly Draft[]> {
  const held = await heldDrafts()
  return (await readDrafts())
    .filter(({ id }) => id === own || !held.has(id))
    .sort((one, other) => other.changedAt - one.changedAt)
}

const lockPrefix = 'flowfarm-draft-'

/** Locks require HTTPS or localhost. */
function locks(): LockManager | undefined {
  return (navigator as { readonly locks?: LockManager }).locks
}

async function heldDrafts(): Promise<ReadonlySet<string>> {
  const { held = [] } = (await locks()?.query()) ?? {}
  return new Set(
    held.flatMap(({ name }) => (name?.startsWith(lockPrefix) === true ? [name.slice(lockPrefix.length)] : [])),
  )
}

function holdDraft(id: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = locks()?.request(lockPrefix + id, { ifAvailable: true }, () => promise)
  held?.catch((error: unknown) => {
    // The page is closing.
    if (!(error instanceof DOMException)) throw error
  })
  return resolve
}
