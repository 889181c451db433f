import { compressBody } from '../http/encodings.ts'
import type { Encoding } from '../http/encodings.ts'

/** An answer as it was sent: what is kept of it. */
export interface KeptAnswer {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** With quotes, without `W/`. */
  readonly tag: string
  /** Declared path of the route, for metrics. */
  readonly route: string
  /** Whether clients may keep it for a while without asking: then it is kept here for longer too. */
  readonly isLasting: boolean
  /** Whether commits of new blocks and rows do not change it: only `clear` drops it before it is too old. */
  readonly isSettled: boolean
}

/** What lasts is kept for so many times the age of the rest: by clients it may be kept for a minute or an hour. */
const lastingFactor = 10

export interface KeptAnswersOptions {
  /** Longest time for which an answer is given again, in milliseconds, ten times as long for one that lasts; 0 keeps none. */
  readonly maxAgeMs: number
  /** Most bytes of all bodies together, in all their encodings: half of them for settled answers. Default 64 MiB. */
  readonly maxBytes?: number
  /** Milliseconds since whenever. */
  readonly now?: () => number
}

const mostUnfit = 10_000

interface Entry {
  readonly answer: KeptAnswer
  readonly until: number
  readonly encoded: Map<Encoding, Promise<Buffer>>
  /** Of the answer and of what it was compressed to. */
  bytes: number
}

/**
 * A cache of answers. A page that many clients request is read once, and requests wait for an answer that is being made already.
 *
 * An answer belongs to the generation in which it was begun, so that nothing that was read before a commit is returned after the
 * notification of that commit. Settled answers survive commits, and are dropped when rows below the head change: at a reorganization, a
 * second derivation, a change of labels or templates. Names of tokens and prices change without a notification: they are late by
 * `maxAgeMs` at most, or ten times that in answers that clients may keep for longer.
 */
export class KeptAnswers {
  readonly #maxAgeMs: number
  readonly #now: () => number
  readonly #ofCommit: AnswerStore
  readonly #settled: AnswerStore
  /** What is being made in this generation. */
  #making = new Map<string, Promise<KeptAnswer | undefined>>()
  /** Uncacheable answers: no request waits for another one's. */
  readonly #unfit = new Set<string>()
  #commits = 0
  #changes = 0
  #isDeaf = false

  constructor({ maxAgeMs, maxBytes = 64 * 1024 * 1024, now = () => performance.now() }: KeptAnswersOptions) {
    this.#maxAgeMs = maxAgeMs
    this.#now = now
    this.#ofCommit = new AnswerStore(maxBytes / 2)
    this.#settled = new AnswerStore(maxBytes / 2)
  }

  /** Whether answers are kept at present. */
  get isOn(): boolean {
    return this.#maxAgeMs > 0 && !this.#isDeaf
  }

  /** Something was committed: all but settled answers are out of date. */
  forget(): void {
    this.#commits++
    this.#ofCommit.clear()
    this.#unfit.clear()
    this.#making = new Map()
  }

  /** Rows that answers about settled heights use have changed: all answers are out of date. */
  clear(): void {
    this.#changes++
    this.#settled.clear()
    this.forget()
  }

  /** While notifications of commits are not received nothing may be kept. */
  setDeaf(isDeaf: boolean): void {
    this.#isDeaf = isDeaf
    this.clear()
  }

  find(key: string): KeptAnswer | undefined {
    const now = this.#now()
    return this.#settled.find(key, now) ?? this.#ofCommit.find(key, now)
  }

  /** The body of a kept answer, compressed once while it is kept. */
  async findEncoded(key: string, answer: KeptAnswer, encoding: Encoding): Promise<Buffer> {
    return (answer.isSettled ? this.#settled : this.#ofCommit).findEncoded(key, answer, encoding)
  }

  /** Whether the last answer to this was uncacheable. */
  isUnfit(key: string): boolean {
    return this.#unfit.has(key)
  }

  /** The answer that is being made now; resolves with undefined where it turns out to be uncacheable. */
  pending(key: string): Promise<KeptAnswer | undefined> | undefined {
    return this.#making.get(key)
  }

  /** Begins to make an answer. The function that is returned ends it and must be called once. */
  begin(key: string): (answer: KeptAnswer | undefined, isUnfit?: boolean) => void {
    const [commits, changes] = [this.#commits, this.#changes]
    const making = this.#making
    const { promise, resolve } = Promise.withResolvers<KeptAnswer | undefined>()
    making.set(key, promise)
    return (answer, isUnfit = answer === undefined) => {
      making.delete(key)
      if (isUnfit) this.#setUnfit(key)
      const isCurrent = changes === this.#changes && (answer?.isSettled === true || commits === this.#commits)
      if (answer !== undefined && isCurrent && this.isOn) this.#keep(key, answer)
      resolve(answer)
    }
  }

  #setUnfit(key: string): void {
    if (this.#unfit.size >= mostUnfit) this.#unfit.clear()
    this.#unfit.add(key)
  }

  #keep(key: string, answer: KeptAnswer): void {
    const until = this.#now() + this.#maxAgeMs * (answer.isLasting ? lastingFactor : 1)
    ;(answer.isSettled ? this.#settled : this.#ofCommit).put(key, answer, until)
  }
}

/** Answers in bounded memory: the oldest are dropped first. */
class AnswerStore {
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  /** Continues from one removal to the next: a new one would step over all that was removed before. */
  #oldest = this.#entries.entries()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  find(key: string, now: number): KeptAnswer | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.until > now) return entry.answer
    this.#drop(key, entry)
    return undefined
  }

  async findEncoded(key: string, { body }: KeptAnswer, encoding: Encoding): Promise<Buffer> {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.answer.body !== body) return await compressBody(body, encoding)
    const known = entry.encoded.get(encoding)
    if (known !== undefined) return await known
    const made = compressBody(body, encoding)
    entry.encoded.set(encoding, made)
    const { length } = await made
    if (this.#entries.get(key) === entry) {
      entry.bytes += length
      this.#add(length)
    }
    return await made
  }

  put(key: string, answer: KeptAnswer, until: number): void {
    const bytes = sizeOf(key, answer)
    if (bytes > this.#maxBytes / 16) return
    const old = this.#entries.get(key)
    if (old !== undefined) this.#drop(key, old)
    this.#entries.set(key, { answer, until, encoded: new Map(), bytes })
    this.#add(bytes)
  }

  #add(bytes: number): void {
    this.#bytes += bytes
    while (this.#bytes > this.#maxBytes) {
      const { value, done } = this.#oldest.next()
      if (done === true) this.#oldest = this.#entries.entries()
      else this.#drop(...value)
    }
  }

  #drop(key: string, { bytes }: Entry): void {
    this.#entries.delete(key)
    this.#bytes -= bytes
  }
}

/** Bytes, with what Node needs for an entry. */
function sizeOf(key: string, { body }: KeptAnswer): number {
  return body.length + key.length + 500
}
