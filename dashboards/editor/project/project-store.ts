import type { ProjectState } from './project-state.ts'

/** The project of this tab, for the page and for what runs beside it: editor, language server, saving. */
export class ProjectStore {
  #state: ProjectState
  readonly #listeners = new Set<() => void>()

  constructor(state: ProjectState) {
    this.#state = state
  }

  get state(): ProjectState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  change(act: (state: ProjectState) => ProjectState): void {
    const next = act(this.#state)
    if (next === this.#state) return
    this.#state = next
    for (const listener of this.#listeners) listener()
  }
}
