/** A copy of the request that the application cannot change. */
export interface AppRequest {
  /** From the browser. */
  readonly origin: string
  readonly body: Readonly<Record<string, unknown>>
  readonly network: string | undefined
}

export type ChannelState =
  | { readonly status: 'waiting' }
  /** `alone`: no application opened this window. `unsafe`: the page was not loaded over HTTPS. */
  | { readonly status: 'refused'; readonly reason: 'alone' | 'unsafe' | 'unreadable'; readonly origin?: string }
  /** `hasMore`: a later request was ignored. */
  | { readonly status: 'requested'; readonly request: AppRequest; readonly hasMore: boolean }
  | { readonly status: 'responded'; readonly request: AppRequest; readonly answer: 'approved' | 'declined' }

interface ChannelWindow {
  readonly opener: { postMessage(message: unknown, targetOrigin: string): void } | null
  addEventListener(type: 'message', listener: (event: ChannelEvent) => void): void
}

export interface ChannelEvent {
  readonly source: unknown
  readonly origin: string
  readonly data: unknown
}

/** A transaction of up to 1.5 MB occurs several times, also as hex. */
const maxCharacters = 20_000_000

/**
 * FCL's message exchange (`FCL:VIEW:*`). Only the first request counts. The response goes to the
 * application's origin alone, so a page that replaced it in the same window receives nothing.
 */
export class OpenerChannel {
  readonly #window: ChannelWindow
  readonly #listeners = new Set<() => void>()
  #state: ChannelState = { status: 'waiting' }
  #opener: ChannelWindow['opener'] = null
  #firstMessage: string | undefined
  #isStarted = false

  constructor(window: ChannelWindow) {
    this.#window = window
  }

  get state(): ChannelState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Idempotent. */
  start(): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const { opener } = this.#window
    this.#opener = opener
    if (opener === null) {
      this.#set({ status: 'refused', reason: 'alone' })
      return
    }
    this.#window.addEventListener('message', (event) => this.#hear(event))
    // The origin is not known yet; this message has no content.
    opener.postMessage({ type: 'FCL:VIEW:READY' }, '*')
  }

  approve(data: unknown): void {
    this.#answer('approved', { status: 'APPROVED', reason: null, data })
  }

  decline(reason: string): void {
    this.#answer('declined', { status: 'DECLINED', reason, data: null })
  }

  #answer(answer: 'approved' | 'declined', response: object): void {
    if (this.#state.status !== 'requested') return
    const { request } = this.#state
    this.#post(request.origin, response)
    this.#set({ status: 'responded', request, answer })
  }

  #post(origin: string, response: object): void {
    this.#opener?.postMessage(
      { type: 'FCL:VIEW:RESPONSE', f_type: 'PollingResponse', f_vsn: '1.0.0', ...response },
      origin,
    )
  }

  #hear({ source, origin, data }: ChannelEvent): void {
    // Closed windows have no opener.
    if (this.#opener === null || source !== this.#opener || !isAsking(data)) return
    if (this.#state.status !== 'waiting') {
      if (this.#state.status === 'requested' && textOf(data) !== this.#firstMessage)
        this.#set({ ...this.#state, hasMore: true })
      return
    }
    if (!isSafeOrigin(origin)) {
      if (/^https?:/.test(origin))
        this.#post(origin, {
          status: 'DECLINED',
          reason: `This wallet accepts requests from HTTPS pages and localhost only, not from ${origin}.`,
          data: null,
        })
      this.#set({ status: 'refused', reason: 'unsafe', origin })
      return
    }
    const text = textOf(data)
    if (text === undefined) {
      this.#post(origin, { status: 'DECLINED', reason: 'The request is too long or is not JSON.', data: null })
      this.#set({ status: 'refused', reason: 'unreadable', origin })
      return
    }
    this.#firstMessage = text
    this.#set({ status: 'requested', request: requestOf(origin, JSON.parse(text)), hasMore: false })
  }

  #set(state: ChannelState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

function isAsking(data: unknown): boolean {
  return fieldsOf(data)['type'] === 'FCL:VIEW:READY:RESPONSE'
}

function textOf(data: unknown): string | undefined {
  const { body, config } = fieldsOf(data)
  try {
    const { interaction: _, ...rest } = fieldsOf(body)
    const text = JSON.stringify({ body: rest, network: fieldsOf(fieldsOf(config)['client'])['network'] })
    return text.length > maxCharacters ? undefined : text
  } catch (error) {
    // Structured clones may have cycles and bigints.
    if (error instanceof TypeError || error instanceof RangeError) return undefined
    throw error
  }
}

function requestOf(origin: string, read: unknown): AppRequest {
  const { body, network } = fieldsOf(read)
  return { origin, body: fieldsOf(body), network: typeof network === 'string' ? network : undefined }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {}
}

/** HTTPS, or this machine; other connections can be tampered with. */
export function isSafeOrigin(origin: string): boolean {
  let url: URL
  try {
    url = new URL(origin)
  } catch {
    return false
  }
  if (url.origin !== origin) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isOwnMachine(url.hostname))
}

function isOwnMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
