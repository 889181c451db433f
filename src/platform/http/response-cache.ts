import { compressBody, minCompressedBytes, preferredEncoding, holds } from './caching.ts'
import type { Encoding } from './caching.ts'
import type { Middleware } from 'koa'
import { toApiError } from './problem.ts'
import type { RequestState } from './requests.ts'

/** An answer as it was sent: what is kept of it. */
export interface CachedResponse {
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

export interface ResponseCacheOptions {
  /**
   * Longest time for which an answer is given again, in milliseconds, ten times as long for one that lasts; 0 keeps
   * none.
   */
  readonly maxAgeMs: number
  /** Most bytes of all bodies together, in all their encodings: half of them for settled answers. Default 64 MiB. */
  readonly maxBytes?: number
  /** Milliseconds since whenever. */
  readonly now?: () => number
}

const maxUncacheable = 10_000

interface Entry {
  readonly answer: CachedResponse
  readonly until: number
  readonly encoded: Map<Encoding, Promise<Buffer>>
  /** Of the answer and of what it was compressed to. */
  bytes: number
}

/**
 * A cache of answers. A page that many clients request is read once, and requests wait for an answer that is being
 * made already.
 *
 * An answer belongs to the generation in which it was begun, so that nothing that was read before a commit is
 * returned after the notification of that commit. Settled answers survive commits, and are dropped when rows below
 * the head change: at a reorganization, a second derivation, a change of labels or templates. Names of tokens and
 * prices change without a notification: they are late by `maxAgeMs` at most, or ten times that in answers that
 * clients may keep for longer.
 */
export class ResponseCache {
  readonly #maxAgeMs: number
  readonly #now: () => number
  readonly #ofCommit: AnswerStore
  readonly #settled: AnswerStore
  /** What is being made in this generation. */
  #making = new Map<string, Promise<CachedResponse | undefined>>()
  /** Uncacheable answers: no request waits for another one's. */
  readonly #uncacheable = new Set<string>()
  #commits = 0
  #changes = 0
  #isSuspended = false

  constructor({ maxAgeMs, maxBytes = 64 * 1024 * 1024, now = () => performance.now() }: ResponseCacheOptions) {
    this.#maxAgeMs = maxAgeMs
    this.#now = now
    this.#ofCommit = new AnswerStore(maxBytes / 2)
    this.#settled = new AnswerStore(maxBytes / 2)
  }

  /** Whether answers are kept at present. */
  get isOn(): boolean {
    return this.#maxAgeMs > 0 && !this.#isSuspended
  }

  /** Something was committed: all but settled answers are out of date. */
  dropCurrent(): void {
    this.#commits++
    this.#ofCommit.clear()
    this.#uncacheable.clear()
    this.#making = new Map()
  }

  /** Rows that answers about settled heights use have changed: all answers are out of date. */
  clear(): void {
    this.#changes++
    this.#settled.clear()
    this.dropCurrent()
  }

  /** While notifications of commits are not received nothing may be kept. */
  suspend(isSuspended: boolean): void {
    this.#isSuspended = isSuspended
    this.clear()
  }

  find(key: string): CachedResponse | undefined {
    const now = this.#now()
    return this.#settled.find(key, now) ?? this.#ofCommit.find(key, now)
  }

  /** The body of a kept answer, compressed once while it is kept. */
  async findEncoded(key: string, answer: CachedResponse, encoding: Encoding): Promise<Buffer> {
    return (answer.isSettled ? this.#settled : this.#ofCommit).findEncoded(key, answer, encoding)
  }

  /** Whether the last answer to this was uncacheable. */
  isUncacheable(key: string): boolean {
    return this.#uncacheable.has(key)
  }

  /** The answer that is being made now; resolves with undefined where it turns out to be uncacheable. */
  pending(key: string): Promise<CachedResponse | undefined> | undefined {
    return this.#making.get(key)
  }

  /** Begins to make an answer. The function that is returned ends it and must be called once. */
  begin(key: string): (answer: CachedResponse | undefined, isUncacheable?: boolean) => void {
    const [commits, changes] = [this.#commits, this.#changes]
    const making = this.#making
    const { promise, resolve } = Promise.withResolvers<CachedResponse | undefined>()
    making.set(key, promise)
    return (answer, isUncacheable = answer === undefined) => {
      making.delete(key)
      if (isUncacheable) this.#setUncacheable(key)
      const isCurrent = changes === this.#changes && (answer?.isSettled === true || commits === this.#commits)
      if (answer !== undefined && isCurrent && this.isOn) this.#store(key, answer)
      resolve(answer)
    }
  }

  #setUncacheable(key: string): void {
    if (this.#uncacheable.size >= maxUncacheable) this.#uncacheable.clear()
    this.#uncacheable.add(key)
  }

  #store(key: string, answer: CachedResponse): void {
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

  find(key: string, now: number): CachedResponse | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry.until > now) return entry.answer
    this.#drop(key, entry)
    return undefined
  }

  async findEncoded(key: string, { body }: CachedResponse, encoding: Encoding): Promise<Buffer> {
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

  put(key: string, answer: CachedResponse, until: number): void {
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
function sizeOf(key: string, { body }: CachedResponse): number {
  return body.length + key.length + 500
}

/**
 * Gives kept answers again, and waits for those that are being made. Kept is what was answered with 200 to a GET that
 * anybody may make, as one text with a tag, and may be cached at all.
 */
export function cacheResponses(kept: ResponseCache): Middleware<RequestState> {
  return async (context, next) => {
    const { method, url } = context
    if (method !== 'GET' || !kept.isOn || kept.isUncacheable(url) || context.get('Authorization') !== '') {
      await next()
      return
    }
    const known = kept.find(url) ?? (await kept.pending(url))
    if (known !== undefined) {
      context.state.route = known.route
      context.set(known.headers)
      context.body = known.body
      // Answered with 304 further out: nothing needs to be compressed.
      if (holds(context.get('If-None-Match'), known.tag)) return
      const encoding =
        known.body.length < minCompressedBytes ? undefined : preferredEncoding(context.get('Accept-Encoding'))
      if (encoding !== undefined) {
        context.body = await kept.findEncoded(url, known, encoding)
        context.set('Content-Encoding', encoding)
      }
      return
    }
    const end = kept.begin(url)
    let answer: CachedResponse | undefined
    // An outage says nothing of the answer after it.
    let isUncacheable = false
    try {
      await next()
      if (context.status === 200 && typeof context.body === 'string')
        answer = cacheable(context.body, context.response.headers, context.state)
      if (answer !== undefined) context.body = answer.body
      isUncacheable = answer === undefined && context.status < 500
    } catch (error) {
      const { status } = toApiError(error)
      // Too many calls of one client say nothing of the answer for others.
      isUncacheable = status < 500 && status !== 429
      throw error
    } finally {
      end(answer, isUncacheable)
    }
  }
}

/** Of the headers those that the answer itself has; others are of one request, such as what is left of a limit. */
const ofAnswer = [
  'Content-Type',
  'Content-Location',
  'Cache-Control',
  'ETag',
  'Content-Disposition',
  'Content-Security-Policy',
]

function cacheable(
  body: string,
  headers: NodeJS.Dict<number | string | string[]>,
  { route, caching }: RequestState,
): CachedResponse | undefined {
  const tag = headers['etag']
  if (typeof tag !== 'string' || route === undefined) return undefined
  const own = ofAnswer.flatMap((name) => {
    const value = headers[name.toLowerCase()]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  const isLasting = /\bmax-age=[1-9]/.test(String(headers['cache-control']))
  return {
    body: Buffer.from(body),
    headers: Object.fromEntries(own),
    tag: tag.replace(/^W\//, ''),
    route,
    isLasting,
    isSettled: caching === 'settled',
  }
}
