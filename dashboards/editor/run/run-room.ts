import type { EditorSettings } from '../contract.ts'
import type { ProjectStore } from '../project/project-store.ts'
import { networkSettings } from '../settings.ts'
import { argumentValue, ArgumentProblem, typedText } from './argument-value.ts'
import type { CadenceValue } from './argument-value.ts'
import { runScript } from './run-script.ts'
import type { RunResult } from './run-script.ts'
import { codeShape } from './script-kind.ts'

export interface RunState {
  /** The script that is running. */
  readonly running: string | undefined
  /** What came of each script the last time, by its path. */
  readonly results: ReadonlyMap<string, RunResult>
  /** What was typed for arguments, by path and name. */
  readonly typed: ReadonlyMap<string, Typed>
  /** What is wrong with that, by name, for the script that was tried last. */
  readonly problems: ReadonlyMap<string, string>
}

/** By the name of the argument, which may be any that Cadence allows: `constructor` and `__proto__` among them. */
type Typed = ReadonlyMap<string, string>

/** Scripts that are run, with their arguments and results. */
export class RunRoom {
  readonly #store: ProjectStore
  readonly #settings: EditorSettings
  readonly #listeners = new Set<() => void>()
  #state: RunState = { running: undefined, results: new Map(), typed: new Map(), problems: new Map() }
  #stop: AbortController | undefined

  constructor(store: ProjectStore, settings: EditorSettings) {
    this.#store = store
    this.#settings = settings
  }

  get state(): RunState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** What the fields of a script hold: what was typed, or what comes with the sample that it is. */
  typedOf(path: string): Typed {
    const typed = this.#state.typed.get(path)
    if (typed !== undefined) return typed
    const code = this.#store.state.files.get(path)?.trim()
    const sample = this.#settings.samples.find((one) => one.code.trim() === code)
    if (sample === undefined || code === undefined) return new Map()
    return new Map(codeShape(code).parameters.map(({ name }, at) => [name, typedText(sample.arguments[at])]))
  }

  type(path: string, name: string, text: string): void {
    const problems = new Map(this.#state.problems)
    problems.delete(name)
    this.#set({ typed: new Map(this.#state.typed).set(path, new Map(this.typedOf(path)).set(name, text)), problems })
  }

  /** Runs a script on the project's network, instead of one that is running. @returns whether it was begun */
  async run(path: string): Promise<boolean> {
    const code = this.#store.state.files.get(path)
    const network = networkSettings(this.#settings, this.#store.state.network)
    if (code === undefined) return false
    const values = this.#values(path, code)
    if (values === undefined) return false
    this.stop()
    const stop = new AbortController()
    this.#stop = stop
    this.#set({ running: path })
    try {
      const result: RunResult =
        network === undefined
          ? {
              is: 'failed',
              code: 0,
              message: 'There is no access node for this network here. Choose another network below.',
              blockHeight: undefined,
              ms: 0,
            }
          : await runScript({ apiUrl: network.api_url, code, values, signal: stop.signal })
      if (!stop.signal.aborted)
        this.#set({ running: undefined, results: new Map(this.#state.results).set(path, result) })
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
    return true
  }

  stop(): void {
    this.#stop?.abort()
    this.#stop = undefined
    if (this.#state.running !== undefined) this.#set({ running: undefined })
  }

  #values(path: string, code: string): readonly CadenceValue[] | undefined {
    const typed = this.typedOf(path)
    const problems = new Map<string, string>()
    const values = codeShape(code).parameters.flatMap(({ name, type }) => {
      try {
        return [argumentValue(type, typed.get(name) ?? '')]
      } catch (error) {
        if (!(error instanceof ArgumentProblem)) throw error
        problems.set(name, error.message)
        return []
      }
    })
    this.#set({ problems })
    return problems.size === 0 ? values : undefined
  }

  #set(change: Partial<RunState>): void {
    this.#state = { ...this.#state, ...change }
    for (const listener of this.#listeners) listener()
  }
}
