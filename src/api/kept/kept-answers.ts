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
}

/** What lasts is kept for so many times the age of the rest: by clients it may be kept for a minute or an hour. */
const lastingFactor = 10

export interface KeptAnswersOptions {
  /** Longest time for which an answer is given again, in milliseconds, ten times as long for one that lasts; 0 keeps none. */
  readonly maxAgeMs: number
  /** Most bytes of all bodies together, in all their encodings. Default 64 MiB. */
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
 * Answers that may be given again while nothing was committed since they were made: the same page that very many ask for is read
 * once. What others are making already is waited for.
 *
 * An answer belongs to the generation in which its making began, so that one that was read before a commit is never given after that
 * commit was heard of. What changes without being announced (names of tokens, prices, labels) is late by `maxAgeMs` at most, or ten
 * times that in what clients may keep for longer.
 */
export class KeptAnswers {
  readonly #maxAgeMs: number
  readonly #maxBytes: number
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  /** Goes on from one removal to the next: a new one would step over all that was removed before. */
  #oldest = this.#entries.entries()
  /** What is being made in this generation. */
  #making = new Map<string, Promise<KeptAnswer | undefined>>()
  /** What turned out not to be for keeping: nobody waits for another's. */
  readonly #unfit = new Set<string>()
  #bytes = 0
  #generation = 0
  #isDeaf = false

  constructor({ maxAgeMs, maxBytes = 64 * 1024 * 1024, now = () => performance.now() }: KeptAnswersOptions) {
    this.#maxAgeMs = maxAgeMs
    this.#maxBytes = maxBytes
    this.#now = now
  }

  /** Whether answers are kept at present. */
  get isOn(): boolean {
    return this.#maxAgeMs > 0 && !this.#isDeaf
  }

  /** Something was committed: what was made before is out of date. */
  forget(): void {
    this.#generation++
    this.#entries.clear()
    this.#unfit.clear()
    this.#making = new Map()
    this.#bytes = 0
  }

  /** While commits are not heard of nothing may be kept. */
  setDeaf(isDeaf: boolean): void {
    this.#isDeaf = isDeaf
    this.forget()
  }

  find(key: string): KeptAnswer | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.until > this.#now()) return entry.answer
    this.#drop(key, entry)
    return undefined
  }

  /** The body of a kept answer, compressed: once for all that ask while it is kept. */
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

  /** Whether an answer to this was not for keeping when it was last made. */
  isUnfit(key: string): boolean {
    return this.#unfit.has(key)
  }

  /** What somebody else is making now; resolves with undefined where it turns out not to be for keeping. */
  pending(key: string): Promise<KeptAnswer | undefined> | undefined {
    return this.#making.get(key)
  }

  /** Says that an answer is being made. The function that is returned ends it and must be called once, whatever happens. */
  begin(key: string): (answer: KeptAnswer | undefined) => void {
    const generation = this.#generation
    const making = this.#making
    const { promise, resolve } = Promise.withResolvers<KeptAnswer | undefined>()
    making.set(key, promise)
    return (answer) => {
      making.delete(key)
      if (answer === undefined) this.#setUnfit(key)
      if (answer !== undefined && generation === this.#generation && this.isOn) this.#keep(key, answer)
      resolve(answer)
    }
  }

  #setUnfit(key: string): void {
    if (this.#unfit.size >= mostUnfit) this.#unfit.clear()
    this.#unfit.add(key)
  }

  /** The oldest go first: with an age of a second there is little use in knowing which was used last. */
  #keep(key: string, answer: KeptAnswer): void {
    const bytes = sizeOf(key, answer)
    if (bytes > this.#maxBytes / 16) return
    const old = this.#entries.get(key)
    if (old !== undefined) this.#drop(key, old)
    this.#entries.set(key, { answer, until: this.#now() + this.#maxAgeMs * (answer.isLasting ? lastingFactor : 1), encoded: new Map(), bytes })
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
