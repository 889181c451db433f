import { ApiProblem, problemText, request } from '../kit/api.ts'
import type { Overview } from './answers.gen.ts'

export interface FeedState {
  /** `refused`: the login has expired. */
  readonly link: 'connecting' | 'live' | 'broken' | 'refused'
  readonly overview: Overview | undefined
  /** ms since the epoch. */
  readonly brokenSince: number | undefined
  readonly problem: string | undefined
  /** ms since the epoch */
  readonly retryAt: number | undefined
  readonly rates: ReadonlyMap<string, readonly number[]>
}

const maxRates = 60
/** Longer than the server's heartbeat interval, ms. */
const silenceMs = 35_000
const firstRetryMs = 500
const maxRetryMs = 10_000

/**
 * Keeps the latest overview.
 *
 *     connecting ──first event──► live ──end, error or silence──► broken ──after a pause──► live
 *          └──────────────error───────────────────────────────────► broken
 *     any ──401──► refused
 *
 * The pause doubles with each failed attempt. The last overview is kept while the connection is
 * broken.
 */
export class OverviewFeed {
  #state: FeedState = {
    link: 'connecting',
    overview: undefined,
    brokenSince: undefined,
    problem: undefined,
    retryAt: undefined,
    rates: new Map(),
  }
  readonly #listeners = new Set<() => void>()
  #stop = new AbortController()
  #wake: () => void = () => undefined
  #retryMs = firstRetryMs

  readonly snapshot = (): FeedState => this.#state

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stop.abort()
    }
  }

  readonly retryNow = (): void => {
    this.#retryMs = firstRetryMs
    this.#wake()
  }

  #start(): void {
    this.#stop = new AbortController()
    const { signal } = this.#stop
    window.addEventListener('online', this.retryNow, { signal })
    void this.#run(signal)
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(signal)
        this.#break('The API ended the connection.')
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof ApiProblem && (error.status === 401 || error.status === 403)) {
          this.#set({ ...this.#state, link: 'refused', problem: error.message })
          return
        }
        this.#break(problemText(error))
      }
      await this.#pause(signal)
    }
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const onMessage = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(new Error('The API sent no events for too long.')), silenceMs)
    }
    onMessage()
    try {
      const either = AbortSignal.any([signal, silence.signal])
      const response = await request('/operator/api/stream', {
        signal: either,
        headers: { accept: 'text/event-stream' },
        cache: 'no-store',
      })
      if (response.body === null) throw new ApiProblem(response.status, 'empty', 'The API sends no events.')
      for await (const { event, data } of readEvents(response.body, onMessage)) {
        if (event === 'overview') this.#accept(JSON.parse(data) as Overview)
        if (event === 'bye') throw new ApiProblem(0, 'bye', 'The API is stopping.')
      }
    } catch (error) {
      if (silence.signal.aborted && !signal.aborted) throw silence.signal.reason
      // Browser messages about a broken connection do not help the operator.
      throw error instanceof ApiProblem || signal.aborted
        ? error
        : new ApiProblem(0, 'broken', 'The connection to the API was lost.')
    } finally {
      clearTimeout(timer)
    }
  }

  #accept(overview: Overview): void {
    this.#retryMs = firstRetryMs
    const rates = new Map(
      overview.stages.map((stage) => {
        const before = this.#state.rates.get(stage.name) ?? []
        return [stage.name, stage.rate === null ? before : [...before.slice(1 - maxRates), stage.rate]]
      }),
    )
    this.#set({ link: 'live', overview, brokenSince: undefined, problem: undefined, retryAt: undefined, rates })
  }

  #break(problem: string): void {
    const retryAt = Date.now() + this.#retryMs
    this.#set({ ...this.#state, link: 'broken', brokenSince: this.#state.brokenSince ?? Date.now(), problem, retryAt })
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#retryMs)
    signal.addEventListener('abort', () => resolve(), { once: true })
    this.#wake = resolve
    this.#retryMs = Math.min(maxRetryMs, this.#retryMs * 2)
    await promise
    clearTimeout(timer)
  }

  #set(state: FeedState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

export interface StreamEvent {
  readonly event: string
  readonly data: string
}

/** Unlike EventSource it reports the status of a refused request, and heartbeats (`onSign`). */
export async function* readEvents(body: ReadableStream<Uint8Array>, onSign: () => void): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onSign()
      const blocks = (rest + value.replaceAll('\r', '')).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    await reader.cancel()
  }
}

/** Undefined for comments. */
function parseEvent(block: string): StreamEvent | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(event|data):? ?(.*)$/.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 && event === 'message' ? undefined : { event, data: data.join('\n') }
}
