import { problemText } from '../../auth/auth-service.ts'
import { isUnsaved } from './project-state.ts'
import type { ProjectStore, ProjectState } from './project-state.ts'

const pauseMs = 200

interface DraftKeeperOptions {
  readonly id: string
  readonly store: ProjectStore
  readonly userId: () => string | undefined
}

/** Stores unsaved work in the browser, so that a crash or a lost connection does not lose it. */
export class DraftKeeper {
  readonly #options: DraftKeeperOptions
  readonly #letGo: () => void
  readonly #stopListening: () => void
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()
  #problem: string | undefined
  #isKept = false
  /** The first user who signed in while the draft existed; other users of the tab do not get it. */
  #owner: string | undefined

  constructor(options: DraftKeeperOptions, isKept: boolean) {
    this.#options = options
    this.#isKept = isKept
    this.#letGo = holdDraft(options.id)
    this.#stopListening = options.store.subscribe(() => {
      this.#timer ??= setTimeout(() => void this.keepNow(), pauseMs)
    })
  }

  /** Why the browser does not keep it, if so. */
  get problem(): string | undefined {
    return this.#problem
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Writes it down, or forgets it where a service has all of it. */
  keepNow(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#keep())
    return this.#writing
  }

  /** @param isForgotten what was kept is not wanted any more */
  async close({ isForgotten = false }: { readonly isForgotten?: boolean } = {}): Promise<void> {
    this.#stopListening()
    if (isForgotten) {
      clearTimeout(this.#timer)
      await this.#writing
      if (this.#isKept) await this.#try(() => removeDraft(this.#options.id))
    } else await this.keepNow()
    this.#listeners.clear()
    this.#letGo()
  }

  async #keep(): Promise<void> {
    const { id, store, userId } = this.#options
    const { state } = store
    this.#owner ??= userId()
    if (isUnsaved(state)) {
      this.#isKept = true
      await this.#try(() =>
        writeDraft({ id, projectId: state.saved?.id, userId: this.#owner, state, changedAt: Date.now() }),
      )
    } else if (this.#isKept) {
      this.#isKept = false
      await this.#try(() => removeDraft(id))
    }
  }

  async #try(act: () => Promise<void>): Promise<void> {
    const before = this.#problem
    try {
      await act()
      this.#problem = undefined
    } catch (error) {
      this.#problem = problemText(error)
    }
    if (before !== this.#problem) for (const listener of this.#listeners) listener()
  }
}

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

async function writeDraft(draft: Draft): Promise<void> {
  await ask('readwrite', (store) => store.put(draft))
}

async function removeDraft(id: string): Promise<void> {
  await ask('readwrite', (store) => store.delete(id))
}

async function readDrafts(): Promise<readonly Draft[]> {
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

/** Claims a draft for this tab until released or closed. @returns releases it */
function holdDraft(id: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  const held = locks()?.request(lockPrefix + id, { ifAvailable: true }, () => promise)
  held?.catch((error: unknown) => {
    // The page is being left.
    if (!(error instanceof DOMException)) throw error
  })
  return resolve
}
