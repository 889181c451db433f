import type { EditorSettings } from '../answers.gen.ts'
import type { ProjectStore } from '../project/project-state.ts'
import { networkSettings } from '../settings.ts'
import { argumentValue, ArgumentProblem, inputText } from './argument-value.ts'
import type { CadenceValue } from './argument-value.ts'
import { codeShape } from './script-kind.ts'

interface RunState {
  readonly running: string | undefined
  readonly results: ReadonlyMap<string, RunResult>
  readonly typed: ReadonlyMap<string, Typed>
  readonly problems: ReadonlyMap<string, string>
}

/** Argument names may be any, including `constructor` and `__proto__`. */
type Typed = ReadonlyMap<string, string>

export class ScriptRunner {
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

  inputOf(path: string): Typed {
    const typed = this.#state.typed.get(path)
    if (typed !== undefined) return typed
    const code = this.#store.state.files.get(path)?.trim()
    const sample = this.#settings.samples.find((one) => one.code.trim() === code)
    if (sample === undefined || code === undefined) return new Map()
    return new Map(codeShape(code).parameters.map(({ name }, at) => [name, inputText(sample.arguments[at])]))
  }

  type(path: string, name: string, text: string): void {
    const problems = new Map(this.#state.problems)
    problems.delete(name)
    this.#set({ typed: new Map(this.#state.typed).set(path, new Map(this.inputOf(path)).set(name, text)), problems })
  }

  /** Cancels the running script. @returns whether it was started */
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
              message: 'No access node is configured for this network. Choose another network below.',
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
    const typed = this.inputOf(path)
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

export type RunResult =
  | { readonly is: 'done'; readonly value: CadenceValue; readonly blockHeight: string | undefined; readonly ms: number }
  /** `code`: HTTP status; 0 without a response. */
  | {
      readonly is: 'failed'
      readonly code: number
      readonly message: string
      readonly blockHeight: string | undefined
      readonly ms: number
    }

interface RunOptions {
  readonly apiUrl: string
  readonly code: string
  readonly values: readonly CadenceValue[]
  readonly signal: AbortSignal
}

/** At the latest sealed block. @throws if the signal aborts */
async function runScript({ apiUrl, code, values, signal }: RunOptions): Promise<RunResult> {
  const began = performance.now()
  const base = apiUrl.replace(/\/$/, '')
  let blockHeight: string | undefined
  const failed = (status: number, message: string): RunResult => ({
    is: 'failed',
    code: status,
    message,
    blockHeight,
    ms: performance.now() - began,
  })
  try {
    // Requested first, so that the script runs at this height.
    blockHeight = await sealedHeight(base, signal)
    const response = await fetch(`${base}/v1/scripts?block_height=${blockHeight ?? 'sealed'}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      signal,
      body: JSON.stringify({
        script: toBase64(code),
        arguments: values.map((value) => toBase64(JSON.stringify(value))),
      }),
    })
    const answer: unknown = await response.json()
    if (!response.ok)
      return failed(response.status, messageOf(answer) ?? `The node returned status ${response.status}.`)
    const encoded = typeof answer === 'string' ? answer : (answer as { readonly value?: unknown } | null)?.value
    if (typeof encoded !== 'string') return failed(response.status, 'The node returned no value.')
    return {
      is: 'done',
      value: JSON.parse(fromBase64(encoded)) as CadenceValue,
      blockHeight,
      ms: performance.now() - began,
    }
  } catch (error) {
    if (signal.aborted) throw error
    if (error instanceof SyntaxError || error instanceof RangeError)
      return failed(0, 'The node returned an invalid response.')
    if (error instanceof TypeError)
      return failed(
        0,
        `The access node at ${base} is not reachable. Check your network connection and the CORS settings of the node.`,
      )
    throw error
  }
}

async function sealedHeight(base: string, signal: AbortSignal): Promise<string | undefined> {
  const response = await fetch(`${base}/v1/blocks?height=sealed`, { signal })
  if (!response.ok) return undefined
  const blocks: unknown = await response.json()
  const height: unknown = Array.isArray(blocks)
    ? (blocks[0] as { readonly header?: { readonly height?: unknown } } | undefined)?.header?.height
    : undefined
  return typeof height === 'string' && /^\d+$/.test(height) ? height : undefined
}

function messageOf(answer: unknown): string | undefined {
  const message =
    typeof answer === 'object' && answer !== null ? (answer as { readonly message?: unknown }).message : undefined
  return typeof message === 'string' ? message : undefined
}

function toBase64(text: string): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}

/** @throws RangeError for invalid base64 */
function fromBase64(text: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)))
  } catch (error) {
    throw new RangeError('Invalid base64.', { cause: error })
  }
}
