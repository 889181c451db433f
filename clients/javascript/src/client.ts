import type { Answers, Parameters, Requests } from './api.gen.ts'

/** Paths of GET requests, e.g. `/flow/block/{height}`. */
export type GetPath = keyof Answers & `/${string}`

/** Other operations, e.g. `POST /webhooks/endpoints`. */
export type CallName = Exclude<keyof Parameters, `/${string}`>

interface List {
  readonly data: readonly unknown[]
  readonly has_more: boolean
  readonly cursor: string
}

/** Paths of lists, which `list` reads page by page. */
export type ListPath = { [Path in GetPath]: Answers[Path] extends List ? Path : never }[GetPath]

export type ItemOf<Path extends ListPath> = Answers[Path] extends { readonly data: readonly (infer Item)[] }
  ? Item
  : never

export type ParametersOf<Name> = Name extends keyof Parameters ? Parameters[Name] : Readonly<Record<string, never>>

export interface FlowfarmOptions {
  /** Developer key: raises rate limits and owns webhooks. */
  readonly key?: string
  /** Per request, ms. Default: 30,000. */
  readonly timeoutMs?: number
}

export interface RequestOptions {
  readonly signal?: AbortSignal
}

type GetArguments<Path> =
  Readonly<Record<string, never>> extends ParametersOf<Path>
    ? [parameters?: ParametersOf<Path>, options?: RequestOptions]
    : [parameters: ParametersOf<Path>, options?: RequestOptions]

/** A refused or failed request. */
export class FlowfarmError extends Error {
  override readonly name = 'FlowfarmError'
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Stable. Without a response: `timeout`, `no-response`, `invalid-response`. */
  readonly code: string
  /** The invalid parameter or body field. */
  readonly field: string | undefined
  /** Identifies the request in the server's log. */
  readonly requestId: string | undefined
  /** Seconds after which a retry may succeed. */
  readonly retryAfter: number | undefined

  constructor(message: string, { status = 0, code, field, requestId, retryAfter, cause }: FlowfarmErrorFacts) {
    super(message, cause === undefined ? undefined : { cause })
    this.status = status
    this.code = code
    this.field = field
    this.requestId = requestId
    this.retryAfter = retryAfter
  }
}

interface FlowfarmErrorFacts {
  readonly status?: number
  readonly code: string
  readonly field?: string | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

const maxAttempts = 3
/** Longer waits are left to the caller, in seconds. */
const maxWait = 30

export class Flowfarm {
  readonly #url: string
  readonly #key: string | undefined
  readonly #timeoutMs: number

  /** @param url of the explorer, e.g. `https://explorer.example` */
  constructor(url: string, { key, timeoutMs = 30_000 }: FlowfarmOptions = {}) {
    this.#url = new URL(url).href.replace(/\/+$/, '')
    this.#key = key
    this.#timeoutMs = timeoutMs
  }

  /**
   * Retries twice after 429 and 503, as `Retry-After` says.
   * @throws FlowfarmError; the reason of an aborted signal
   */
  async get<Path extends GetPath>(path: Path, ...rest: GetArguments<Path>): Promise<Answers[Path]> {
    const [parameters = {}, { signal } = {}] = rest
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#request('GET', path, { parameters, signal })) as Answers[Path]
      } catch (error) {
        if (!(error instanceof FlowfarmError) || attempt === maxAttempts) throw error
        const { status, retryAfter = Infinity } = error
        if ((status !== 429 && status !== 503) || retryAfter > maxWait) throw error
        await pause(retryAfter * 1000, signal)
      }
    }
  }

  /** Items of all pages; requests each page when it is reached. `cursor` starts at a later page. @throws as `get` */
  async *list<Path extends ListPath>(path: Path, ...rest: GetArguments<Path>): AsyncGenerator<ItemOf<Path>, void> {
    const [parameters, options] = rest
    let cursor: string | undefined
    do {
      const changed = { ...parameters, ...(cursor === undefined ? {} : { cursor }) }
      const page = (await this.get(path, ...([changed, options] as unknown as GetArguments<Path>))) as List
      yield* page.data as readonly ItemOf<Path>[]
      cursor = page.has_more ? page.cursor : undefined
    } while (cursor !== undefined)
  }

  /** Requests that change something are not retried. @throws as `get` */
  async call<Name extends CallName>(
    name: Name,
    {
      parameters,
      body,
      signal,
    }: RequestOptions & {
      readonly parameters?: ParametersOf<Name>
      readonly body?: Name extends keyof Requests ? Requests[Name] : never
    } = {},
  ): Promise<Name extends keyof Answers ? Answers[Name] : undefined> {
    const [method = '', path = ''] = name.split(' ')
    const answer = await this.#request(method, path, { parameters: parameters ?? {}, body, signal })
    return answer as Name extends keyof Answers ? Answers[Name] : undefined
  }

  async #request(
    method: string,
    path: string,
    {
      parameters,
      body,
      signal,
    }: { readonly parameters: object; readonly body?: unknown; readonly signal: AbortSignal | undefined },
  ): Promise<unknown> {
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    try {
      const response = await fetch(this.#url + targetOf(path, parameters), {
        method,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        headers: {
          accept: 'application/json',
          ...(this.#key === undefined ? {} : { 'x-api-key': this.#key }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw problemOf(response, text)
      return text === '' ? undefined : (JSON.parse(text) as unknown)
    } catch (cause) {
      if (cause instanceof FlowfarmError || signal?.aborted === true) throw cause
      const { code, message } = timeout.aborted
        ? { code: 'timeout', message: `no response within ${this.#timeoutMs} ms.` }
        : cause instanceof SyntaxError
          ? { code: 'invalid-response', message: 'the response is not JSON. Check the URL.' }
          : { code: 'no-response', message: 'the API is not reachable. Check the URL and the network.' }
      throw new FlowfarmError(`${method} ${path} failed: ${message}`, { code, cause })
    }
  }
}

function targetOf(path: string, parameters: object): string {
  const query = new URLSearchParams()
  let target = path
  for (const [name, value] of Object.entries(parameters) as [string, string | number | boolean | undefined][]) {
    if (value === undefined) continue
    if (path.includes(`{${name}}`)) target = target.replace(`{${name}}`, () => encodeURIComponent(String(value)))
    else query.set(name, String(value))
  }
  return query.size === 0 ? target : `${target}?${query.toString()}`
}

/** A proxy may respond instead of the API, without a problem. */
function problemOf({ status, headers }: Response, text: string): FlowfarmError {
  const problem = parseObject(text)
  const textOf = (name: string): string | undefined => (typeof problem[name] === 'string' ? problem[name] : undefined)
  const wait = Number(headers.get('retry-after') ?? Number.NaN)
  return new FlowfarmError(textOf('detail') ?? `The API returned status ${status}.`, {
    status,
    code: textOf('code') ?? `http-${status}`,
    field: textOf('field'),
    requestId: textOf('request_id'),
    retryAfter: wait >= 0 ? wait : undefined,
  })
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort, { once: true })
  })
}
