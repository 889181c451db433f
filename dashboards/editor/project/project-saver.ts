import { isRetryable, problemText } from '../../auth/auth-service.ts'
import { ApiProblem } from '../../kit/api.ts'
import type { OpenedProject, SaveAnswer, SaveRequest } from '../types.ts'
import { fileChanges, mergeFiles } from './file-changes.ts'
import type { Files, MergedFiles } from './file-changes.ts'
import { paneFiles, shownOf } from './file-tree.ts'
import { isUnsaved, projectOf, isImported } from './project-state.ts'
import type { ProjectState, SavedProject, ProjectStore } from './project-state.ts'

export type SaveState =
  | { readonly is: 'local' }
  | { readonly is: 'read-only' }
  | { readonly is: 'saved' }
  | { readonly is: 'unsaved' }
  | { readonly is: 'saving' }
  /** `willRetry`: automatically. Else after the next change or on request. */
  | { readonly is: 'failed'; readonly reason: string; readonly willRetry: boolean }
  | { readonly is: 'conflict'; readonly theirs: OpenedProject }

interface SaverOptions {
  readonly store: ProjectStore
  readonly save: (request: SaveRequest) => Promise<SaveAnswer>
  readonly read: (slug: string) => Promise<OpenedProject>
  readonly schedule?: (run: () => void, ms: number) => () => void
  readonly newId?: () => string
}

const pauseMs = 2000
/** Maximum delay while the user keeps typing, ms. */
const maxDelayMs = 15_000
const firstRetryMs = 2000
const lastRetryMs = 60_000
const maxDoubtful = 8

interface Pending {
  readonly request: SaveRequest
  readonly state: ProjectState
}

/**
 * One save at a time, two seconds after the last change. A save without a response is repeated with
 * its id, which makes it idempotent. Remote changes are never overwritten.
 */
export class ProjectSaver {
  readonly #options: Required<SaverOptions>
  readonly #listeners = new Set<() => void>()
  readonly #stopListening: () => void
  #state: SaveState = { is: 'local' }
  #pending: Pending | undefined
  #running: Promise<void> | undefined
  #cancelTimer: (() => void) | undefined
  #firstChangeAt: number | undefined
  #doubtful: readonly Files[] = []
  #failures = 0
  #isOn = false
  #isClosed = false

  constructor(options: SaverOptions) {
    this.#options = {
      newId: () => crypto.randomUUID(),
      schedule: (run, ms) => {
        const timer = setTimeout(run, ms)
        return () => clearTimeout(timer)
      },
      ...options,
    }
    this.#stopListening = options.store.subscribe(() => this.#changed())
    this.#show()
  }

  get state(): SaveState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  setOn(isOn: boolean): void {
    if (this.#isOn === isOn) return
    this.#isOn = isOn
    this.#failures = 0
    this.#show()
    if (isOn) this.#soon(0)
    else this.#cancelTimer?.()
  }

  async saveNow(): Promise<void> {
    this.#cancelTimer?.()
    if (this.#running !== undefined) await this.#running
    await this.#run()
  }

  mergeWith(theirs: OpenedProject): MergedFiles {
    const { saved, files } = this.#options.store.state
    const there = new Map(theirs.files.map(({ path, content }) => [path, content]))
    return mergeFiles(withOwn(saved?.files ?? new Map<string, string>(), there, this.#doubtful), files, there)
  }

  resolve(theirs: OpenedProject, files: ReadonlyMap<string, string>): Promise<void> {
    this.#state = { is: 'unsaved' }
    this.#options.store.change((state) => rebased(state, theirs, files))
    return this.saveNow()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelTimer?.()
    this.#stopListening()
    this.#listeners.clear()
  }

  #changed(): void {
    if (this.#state.is === 'conflict') return
    this.#show()
    const { store } = this.#options
    if (!this.#isOn || !isUnsaved(store.state)) return
    // Retryable failures have their own timer with back-off.
    if (this.#state.is === 'failed' && this.#state.willRetry) return
    this.#firstChangeAt ??= Date.now()
    this.#soon(Math.max(0, Math.min(pauseMs, this.#firstChangeAt + maxDelayMs - Date.now())))
  }

  #soon(ms: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#options.schedule(() => void this.saveNow(), ms)
  }

  #run(): Promise<void> {
    this.#running ??= this.#save().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #save(): Promise<void> {
    const { store, save, newId } = this.#options
    if (!this.#isOn || this.#isClosed || this.#state.is === 'conflict') return
    if (this.#pending === undefined && !isUnsaved(store.state)) return
    this.#firstChangeAt = undefined
    this.#pending ??= { request: saveRequest(store.state, newId()), state: store.state }
    const { request, state } = this.#pending
    this.#set({ is: 'saving' })
    try {
      const answer = await save(request)
      this.#pending = undefined
      this.#failures = 0
      store.change((now) => ({ ...now, saved: savedOf(state, answer) }))
      this.#doubtful = []
      this.#set({ is: 'saved' })
      this.#show()
    } catch (error) {
      if (error instanceof ApiProblem && error.code === 'CONFLICT' && state.saved !== undefined)
        await this.#meetConflict(state.saved.slug)
      else this.#failed(error)
    }
  }

  async #meetConflict(slug: string): Promise<void> {
    const { store, read } = this.#options
    this.#pending = undefined
    try {
      const theirs = await read(slug)
      const merged = this.mergeWith(theirs)
      if (merged.conflicts.length > 0) {
        this.#set({ is: 'conflict', theirs })
        return
      }
      this.#state = { is: 'unsaved' }
      store.change((state) => rebased(state, theirs, merged.files))
      this.#show()
      if (isUnsaved(store.state)) this.#soon(0)
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    const isLater = isRetryable(error)
    const isSignedOut = error instanceof ApiProblem && error.status === 401
    if (isLater && this.#pending !== undefined)
      this.#doubtful = [...this.#doubtful.slice(1 - maxDoubtful), this.#pending.state.files]
    // Rejected saves are not repeated; saves with an unknown outcome are.
    if (!isLater && !isSignedOut) this.#pending = undefined
    this.#set({ is: 'failed', reason: problemText(error), willRetry: isLater })
    if (!isLater || this.#isClosed) return
    const wait = error instanceof ApiProblem ? (error.retryAfterS ?? 0) * 1000 : 0
    this.#soon(Math.max(wait, Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures++)))
  }

  #show(): void {
    const { state } = this.#options.store
    if (state.isReadOnly) this.#set({ is: 'read-only' })
    else if (!this.#isOn && state.saved === undefined) this.#set({ is: 'local' })
    else if (this.#state.is === 'saving' || this.#state.is === 'conflict') return
    else if (this.#state.is === 'failed' && isUnsaved(state) && this.#isOn) return
    else if (isUnsaved(state))
      this.#set(
        this.#isOn
          ? { is: 'unsaved' }
          : { is: 'failed', reason: 'You are signed out. Sign in to save.', willRetry: false },
      )
    else this.#set(state.saved === undefined ? { is: 'local' } : { is: 'saved' })
  }

  #set(state: SaveState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

/** Counts files of unacknowledged saves that arrived. */
function withOwn(base: Files, theirs: Files, sent: readonly Files[]): Files {
  const own = new Map(base)
  for (const [path, content] of theirs) if (sent.some((files) => files.get(path) === content)) own.set(path, content)
  return own
}

function savedOf(
  { name, network, isPublic, folders, files }: ProjectState,
  { id, slug, version }: SaveAnswer,
): SavedProject {
  return { id, slug, version, name, network, isPublic, folders, files }
}

function rebased(state: ProjectState, theirs: OpenedProject, files: ReadonlyMap<string, string>): ProjectState {
  const { saved: now } = projectOf(theirs)
  const { saved: before } = state
  if (now === undefined || before === undefined) return state
  const open = state.open.filter((path) => files.has(path) || path.startsWith('deps/'))
  return {
    ...state,
    files,
    saved: now,
    open,
    ...shownOf(state, open),
    name: state.name === before.name ? now.name : state.name,
    network: state.network === before.network ? now.network : state.network,
    isPublic: state.isPublic === before.isPublic ? now.isPublic : state.isPublic,
    folders: [...new Set([...now.folders.filter((path) => !before.folders.includes(path)), ...state.folders])].sort(),
  }
}

/** @param saveId makes repeated requests idempotent */
function saveRequest(
  { saved, name, network, isPublic, folders, files, open, active, split, forkedFrom }: ProjectState,
  saveId: string,
): SaveRequest {
  const [left, right] = paneFiles({ active, split })
  const changes = fileChanges(saved?.files ?? new Map<string, string>(), files)
  return {
    save_id: saveId,
    ...(saved === undefined
      ? forkedFrom === undefined
        ? {}
        : { forked_from: forkedFrom.slug }
      : { id: saved.id, version: saved.version }),
    name,
    network,
    is_public: isPublic,
    active_file: storedPath(left),
    side_file: storedPath(right),
    open_files: open.filter((path) => !isImported(path)),
    folders,
    files: changes.files,
    deleted_files: changes.deleted,
  }
}

function storedPath(path: string | undefined): string | null {
  return path === undefined || isImported(path) ? null : path
}
