import { compressBody, minCompressedBytes, preferredEncoding, holds } from './caching.ts'
import type { Encoding } from './caching.ts'
import type { Middleware } from 'koa'
import { toApiError } from './problem.ts'
import type { RequestState } from './requests.ts'

export interface CachedResponse {
  readonly body: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** With quotes, without `W/`. */
  readonly tag: string
  readonly route: string
  /** Clients may cache it without revalidation; it is then cached longer here too. */
  readonly isLasting: boolean
  /** New blocks leave it unchanged: only `clear` drops it before it expires. */
  readonly isSettled: boolean
}

const lastingFactor = 10

export interface ResponseCacheOptions {
  /** Lasting responses are cached ten times longer. 0 disables the cache. */
  readonly maxAgeMs: number
  /** Limit for all bodies in all encodings. Settled responses may use half of it. */
  readonly maxBytes?: number
  readonly now?: () => number
}

const maxUncacheable = 10_000

interface Entry {
  readonly answer: CachedResponse
  readonly until: number
  readonly encoded: Map<Encoding, Promise<Buffer>>
  /** Size with compressed bodies. */
  bytes: number
}

/**
 * A response cache that also merges concurrent requests.
 *
 * A response belongs to the generation in which its computation started, so data read before a
 * commit is never returned after its notification. Settled responses survive commits and are
 * dropped when rows below the head change. Token names and prices change without notification, so
 * they may be stale until they expire.
 */
export class ResponseCache {
  readonly #maxAgeMs: number
  readonly #now: () => number
  readonly #ofCommit: AnswerStore
  readonly #settled: AnswerStore
  #making = new Map<string, Promise<CachedResponse | undefined>>()
  /** Requests for these keys do not wait for each other. */
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

  get isOn(): boolean {
    return this.#maxAgeMs > 0 && !this.#isSuspended
  }

  dropCurrent(): void {
    this.#commits++
    this.#ofCommit.clear()
    this.#uncacheable.clear()
    this.#making = new Map()
  }

  /** Rows that settled responses depend on have changed. */
  clear(): void {
    this.#changes++
    this.#settled.clear()
    this.dropCurrent()
  }

  /** For times without commit notifications. */
  suspend(isSuspended: boolean): void {
    this.#isSuspended = isSuspended
    this.clear()
  }

  find(key: string): CachedResponse | undefined {
    const now = this.#now()
    return this.#settled.find(key, now) ?? this.#ofCommit.find(key, now)
  }

  async findEncoded(key: string, answer: CachedResponse, encoding: Encoding): Promise<Buffer> {
    return (answer.isSettled ? this.#settled : this.#ofCommit).findEncoded(key, answer, encoding)
  }

  isUncacheable(key: string): boolean {
    return this.#uncacheable.has(key)
  }

  /** Resolves with undefined if the response turns out uncacheable. */
  pending(key: string): Promise<CachedResponse | undefined> | undefined {
    return this.#making.get(key)
  }

  /** The returned function completes the response and must be called once. */
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

class AnswerStore {
  readonly #maxBytes: number
  readonly #entries = new Map<string, Entry>()
  /** A new iterator would step over all removed entries. */
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

/** Including Node's overhead per entry. */
function sizeOf(key: string, { body }: CachedResponse): number {
  return body.length + key.length + 500
}

/**
 * Cacheable are 200 responses to public GETs with a text body, an ETag and a Cache-Control that
 * allows it.
 */
export function cacheResponses(cache: ResponseCache): Middleware<RequestState> {
  return async (context, next) => {
    const { method, url } = context
    if (method !== 'GET' || !cache.isOn || cache.isUncacheable(url) || context.get('Authorization') !== '') {
      await next()
      return
    }
    const known = cache.find(url) ?? (await cache.pending(url))
    if (known !== undefined) {
      context.state.route = known.route
      context.set(known.headers)
      context.body = known.body
      // `answerNotModified` will send 304.
      if (holds(context.get('If-None-Match'), known.tag)) return
      const encoding =
        known.body.length < minCompressedBytes ? undefined : preferredEncoding(context.get('Accept-Encoding'))
      if (encoding !== undefined) {
        context.body = await cache.findEncoded(url, known, encoding)
        context.set('Content-Encoding', encoding)
      }
      return
    }
    const end = cache.begin(url)
    let answer: CachedResponse | undefined
    let isUncacheable = false
    try {
      await next()
      if (context.status === 200 && typeof context.body === 'string')
        answer = cacheable(context.body, context.response.headers, context.state)
      if (answer !== undefined) context.body = answer.body
      isUncacheable = answer === undefined && context.status < 500
    } catch (error) {
      const { status } = toApiError(error)
      // Outages and the limit of one client do not make the next response uncacheable.
      isUncacheable = status < 500 && status !== 429
      throw error
    } finally {
      end(answer, isUncacheable)
    }
  }
}

/** Cached headers. Other headers, such as the rate limit, belong to one request. */
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
