/** What the application sent along. It is a copy, which nobody but this page has. */
export interface AppRequest {
  /** Of the application's page, as the browser says. */
  readonly origin: string
  readonly body: Readonly<Record<string, unknown>>
  /** What the application says of its network, such as `testnet`. */
  readonly network: string | undefined
}

export type ChannelState =
  /** The application has not said yet what it wants. */
  | { readonly status: 'waiting' }
  /** `alone`: no application opened this window. `unsafe`: one that anybody on the way could change. */
  | { readonly status: 'refused'; readonly reason: 'alone' | 'unsafe' | 'unreadable'; readonly origin?: string }
  /** `hasMore`: it sent something else afterwards, to which nobody paid attention. */
  | { readonly status: 'asked'; readonly request: AppRequest; readonly hasMore: boolean }
  | { readonly status: 'answered'; readonly request: AppRequest; readonly answer: 'approved' | 'declined' }

/** A window, as far as it is used: this one, and the one that opened it. */
interface ChannelWindow {
  readonly opener: { postMessage(message: unknown, targetOrigin: string): void } | null
  addEventListener(type: 'message', listener: (event: ChannelEvent) => void): void
}

export interface ChannelEvent {
  readonly source: unknown
  readonly origin: string
  readonly data: unknown
}

/** A transaction may be 1.5 MB, and is there several times, as hex too. */
const maxCharacters = 20_000_000

/**
 * The talk with the application that opened this window, as FCL leads it (`FCL:VIEW:*`). Its first request counts,
 * with the origin that the browser names for it, and the one answer goes to that origin: a page that came after it in
 * the same window gets nothing.
 */
export class OpenerChannel {
  readonly #window: ChannelWindow
  readonly #listeners = new Set<() => void>()
  #state: ChannelState = { status: 'waiting' }
  #opener: ChannelWindow['opener'] = null
  #heard: string | undefined
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

  /** Tells the application that it may ask. A second call does nothing. */
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
    // Whose page it is is not known yet; this tells nothing.
    opener.postMessage({ type: 'FCL:VIEW:READY' }, '*')
  }

  /** @param data what FCL waits for, by the kind of service */
  approve(data: unknown): void {
    this.#answer('approved', { status: 'APPROVED', reason: null, data })
  }

  decline(reason: string): void {
    this.#answer('declined', { status: 'DECLINED', reason, data: null })
  }

  #answer(answer: 'approved' | 'declined', response: object): void {
    if (this.#state.status !== 'asked') return
    const { request } = this.#state
    this.#post(request.origin, response)
    this.#set({ status: 'answered', request, answer })
  }

  #post(origin: string, response: object): void {
    this.#opener?.postMessage(
      { type: 'FCL:VIEW:RESPONSE', f_type: 'PollingResponse', f_vsn: '1.0.0', ...response },
      origin,
    )
  }

  #hear({ source, origin, data }: ChannelEvent): void {
    // A window that is closed is none any more.
    if (this.#opener === null || source !== this.#opener || !isAsking(data)) return
    if (this.#state.status !== 'waiting') {
      if (this.#state.status === 'asked' && textOf(data) !== this.#heard) this.#set({ ...this.#state, hasMore: true })
      return
    }
    if (!isSafeOrigin(origin)) {
      if (/^https?:/.test(origin))
        this.#post(origin, {
          status: 'DECLINED',
          reason: `This wallet takes requests of pages with https or on localhost alone, and this one is ${origin}.`,
          data: null,
        })
      this.#set({ status: 'refused', reason: 'unsafe', origin })
      return
    }
    const text = textOf(data)
    if (text === undefined) {
      this.#post(origin, { status: 'DECLINED', reason: 'The request is too long, or no JSON.', data: null })
      this.#set({ status: 'refused', reason: 'unreadable', origin })
      return
    }
    this.#heard = text
    this.#set({ status: 'asked', request: requestOf(origin, JSON.parse(text)), hasMore: false })
  }

  #set(state: ChannelState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

function isAsking(data: unknown): boolean {
  return fieldsOf(data)['type'] === 'FCL:VIEW:READY:RESPONSE'
}

/** What was sent, as JSON; undefined for what is none. Part of it is what an application is, and is not looked at. */
function textOf(data: unknown): string | undefined {
  const { body, config } = fieldsOf(data)
  try {
    const { interaction: _, ...asked } = fieldsOf(body)
    const text = JSON.stringify({ body: asked, network: fieldsOf(fieldsOf(config)['client'])['network'] })
    return text.length > maxCharacters ? undefined : text
  } catch (error) {
    // Windows can send each other circles and big numbers, of which there is no JSON.
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

/** Allowed origins: HTTPS, or this machine; other connections can be tampered with. */
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
