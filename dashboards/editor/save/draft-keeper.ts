import { problemText } from '../../auth/problem.ts'
import { isUnsaved } from '../project/project-state.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { holdDraft, removeDraft, writeDraft } from './draft-database.ts'

const pauseMs = 200

export interface DraftKeeperOptions {
  readonly id: string
  readonly store: ProjectStore
  readonly userId: () => string | undefined
}

/** Keeps in the browser what no service has yet, so that neither a tab that crashes nor a network that is away takes it along. */
export class DraftKeeper {
  readonly #options: DraftKeeperOptions
  readonly #letGo: () => void
  readonly #stopListening: () => void
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #writing: Promise<void> = Promise.resolve()
  #problem: string | undefined
  #isKept = false
  /** Whose work it is: the first one who was signed in while it was there. Another one who signs in at the same tab does not get it. */
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
