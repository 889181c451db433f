import { callJson, isRetryable, problemText, jsonBody } from './auth-service.ts'
import { ApiProblem } from '../kit/api.ts'
import type { FullAuthOptions } from './auth-service.ts'

export type SessionState =
  | { readonly status: 'loading' }
  | { readonly status: 'signed-out'; readonly reason?: 'ended' }
  | { readonly status: 'signed-in'; readonly session: PageSession }
  | { readonly status: 'unknown'; readonly detail: string }

type Message = { readonly kind: 'session'; readonly session: PageSession } | { readonly kind: 'signed-out' }

type KeeperOptions = Pick<FullAuthOptions, 'gotrueUrl' | 'sessionUrl' | 'cookieDomain' | 'enableLogoutDetection'>

/** ms. */
const marginS = 60

const againMs = 10_000

const checkMs = 30_000

/**
 * Keeps access tokens in memory only. Tabs renew them under a lock, since the cookie's refresh
 * token is single-use. Network and server failures do not end a session.
 */
export class SessionManager {
  readonly #options: KeeperOptions
  readonly #listeners = new Set<() => void>()
  #state: SessionState = { status: 'loading' }
  #channel: BroadcastChannel | undefined
  #renewTimer: ReturnType<typeof setTimeout> | undefined
  #checkTimer: ReturnType<typeof setInterval> | undefined
  #checkedAt = 0
  /** Counts sign-ins and sign-outs, so that a late response does not undo one. */
  #changes = 0

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  get state(): SessionState {
    return this.#state
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  start(): () => void {
    const channel = new BroadcastChannel('flowfarm-session')
    this.#channel = channel
    channel.addEventListener('message', ({ data }: MessageEvent<Message>) => this.#receive(data))
    const seen = (): void => {
      if (document.visibilityState === 'visible') this.#look()
    }
    document.addEventListener('visibilitychange', seen)
    if (this.#options.enableLogoutDetection) this.#checkTimer = setInterval(seen, checkMs)
    void this.load()
    return () => {
      channel.close()
      this.#channel = undefined
      document.removeEventListener('visibilitychange', seen)
      clearInterval(this.#checkTimer)
      clearTimeout(this.#renewTimer)
    }
  }

  async load(): Promise<void> {
    try {
      await this.#renew(true)
    } catch (error) {
      if (this.#state.status === 'signed-in') return
      this.#set({ status: 'unknown', detail: problemText(error) })
    }
  }

  /** @throws ApiProblem */
  async adopt(refreshToken: string): Promise<void> {
    const changes = ++this.#changes
    const session = await keepSession(this.#options, refreshToken)
    if (session === undefined)
      throw new ApiProblem(401, 'session-ended', 'The sign-in failed: no session was created. Try again.')
    if (changes === this.#changes) this.#begin(session)
  }

  /** Renewed if it expires soon. @throws ApiProblem 401 if no user is signed in */
  async accessToken(): Promise<string> {
    if (this.#state.status === 'signed-in' && !isOld(this.#state.session)) return this.#state.session.access_token
    const session = await this.#renew(false)
    if (session === undefined) throw new ApiProblem(401, 'session-ended', 'Your session has expired. Sign in again.')
    return session.access_token
  }

  /**
   * Signs out locally at once, in all tabs. @throws ApiProblem if the service could not be notified
   */
  async signOut(scope: 'local' | 'global' = 'local'): Promise<void> {
    this.#changes++
    try {
      await locked(() => endSession(this.#options, scope))
    } finally {
      this.#end()
      this.#broadcast({ kind: 'signed-out' })
    }
  }

  async #renew(isFirst: boolean): Promise<PageSession | undefined> {
    const changes = this.#changes
    const session = await locked(async () => {
      // Another tab may have renewed it while this one waited for the lock.
      if (!isFirst && this.#state.status === 'signed-in' && !isOld(this.#state.session)) return this.#state.session
      return readSession(this.#options)
    })
    if (changes !== this.#changes) return this.#state.status === 'signed-in' ? this.#state.session : undefined
    if (session === undefined) this.#end(this.#state.status === 'signed-in' ? 'ended' : undefined)
    else this.#begin(session)
    return session
  }

  #begin(session: PageSession): void {
    this.#hold(session)
    this.#broadcast({ kind: 'session', session })
  }

  #hold(session: PageSession): void {
    this.#set({ status: 'signed-in', session })
    clearTimeout(this.#renewTimer)
    const inMs = Math.max(1000, (session.expires_at - marginS) * 1000 - Date.now())
    this.#renewTimer = setTimeout(() => this.#renewInTime(), Math.min(inMs, 2 ** 31 - 1))
  }

  #renewInTime(): void {
    this.#renew(false).catch(() => {
      this.#renewTimer = setTimeout(() => this.#renewInTime(), againMs)
    })
  }

  #end(reason?: 'ended'): void {
    clearTimeout(this.#renewTimer)
    this.#set({ status: 'signed-out', ...(reason === undefined ? {} : { reason }) })
  }

  #receive(message: Message): void {
    this.#changes++
    if (message.kind === 'session') this.#hold(message.session)
    else this.#end(this.#state.status === 'signed-in' ? 'ended' : undefined)
  }

  #look(): void {
    if (this.#state.status === 'unknown') void this.load()
    if (
      !this.#options.enableLogoutDetection ||
      this.#state.status !== 'signed-in' ||
      Date.now() - this.#checkedAt < checkMs / 2
    )
      return
    this.#checkedAt = Date.now()
    const { session } = this.#state
    const changes = this.#changes
    callJson(`${this.#options.gotrueUrl}/user`, { headers: { authorization: `Bearer ${session.access_token}` } }).catch(
      async (error: unknown) => {
        if (isRetryable(error) || changes !== this.#changes) return
        await this.load()
      },
    )
  }

  #broadcast(message: Message): void {
    this.#channel?.postMessage(message)
  }

  #set(state: SessionState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

function isOld({ expires_at: expiresAt }: PageSession): boolean {
  return expiresAt - marginS <= Date.now() / 1000
}

/** Without locks the service detects concurrent renewals. */
function locked<T>(run: () => Promise<T>): Promise<T> {
  // Undefined without HTTPS, whatever the types say.
  const { locks } = navigator as { readonly locks?: LockManager }
  return locks === undefined ? run() : locks.request('flowfarm-session', run)
}

export interface SessionUser {
  readonly id: string
  readonly email?: string | null
  readonly app_metadata?: unknown
  readonly user_metadata?: unknown
}

interface PageSession {
  readonly access_token: string
  /** Unix time, s. */
  readonly expires_at: number
  readonly user: SessionUser
}

type SessionOptions = Pick<FullAuthOptions, 'sessionUrl' | 'cookieDomain'>

interface Answer {
  readonly session: PageSession | null
}

/** Forms of other sites cannot send this header (CSRF). */
const own = { 'x-wallet-session': '1' }

function credentialsOf({ sessionUrl, cookieDomain }: SessionOptions): RequestCredentials {
  const isElsewhere = new URL(sessionUrl, location.origin).origin !== location.origin
  const isOfDomain =
    cookieDomain === undefined || `.${location.hostname}`.endsWith(`.${cookieDomain.replace(/^\./, '').toLowerCase()}`)
  return isElsewhere && isOfDomain ? 'include' : 'same-origin'
}

/** Undefined if no user is signed in. @throws ApiProblem */
async function readSession(options: SessionOptions): Promise<PageSession | undefined> {
  const { session } = await callJson<Answer>(options.sessionUrl, { headers: own, credentials: credentialsOf(options) })
  return session ?? undefined
}

/** @throws ApiProblem */
async function keepSession(options: SessionOptions, refreshToken: string): Promise<PageSession | undefined> {
  const post = jsonBody({ refresh_token: refreshToken })
  const { session } = await callJson<Answer>(options.sessionUrl, {
    ...post,
    headers: { ...own, 'content-type': 'application/json' },
    credentials: credentialsOf(options),
  })
  return session ?? undefined
}

/** `global`: on all devices. @throws ApiProblem */
async function endSession(options: SessionOptions, scope: 'local' | 'global' | 'others'): Promise<void> {
  await callJson(`${options.sessionUrl}?scope=${scope}`, {
    method: 'DELETE',
    headers: own,
    credentials: credentialsOf(options),
  })
}
