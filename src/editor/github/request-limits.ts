import { clientNetwork } from '../../platform/client-network.ts'
import { ApiError } from '../../platform/errors.ts'
import { SlidingWindow } from '../../platform/sliding-window.ts'

/** Requests in a minute; each process counts for itself. */
export const githubLimits = {
  /** All of one client, signed in or not. */
  client: 600,
  /** What one user reads: each may be several calls of GitHub, which gives an installation some 5,000 an hour. */
  read: 240,
  /** What one user changes. */
  write: 30,
  /** Webhooks of one client: GitHub sends from few addresses. */
  webhook: 3000,
} as const

export type GitHubLimits = Readonly<Record<keyof typeof githubLimits, number>>

/** Counts requests of clients and of users. */
export class RequestLimits {
  readonly #windows: Readonly<Record<keyof GitHubLimits, SlidingWindow>>

  constructor(limits: GitHubLimits) {
    const window = (name: keyof GitHubLimits): SlidingWindow => new SlidingWindow({ most: limits[name] })
    this.#windows = {
      client: window('client'),
      read: window('read'),
      write: window('write'),
      webhook: window('webhook'),
    }
  }

  /** @throws ApiError 429 `rate-limited` */
  ofClient(address: string, kind: 'client' | 'webhook'): void {
    this.#take(kind, clientNetwork(address))
  }

  /** @throws ApiError 429 `rate-limited` */
  ofUser(userId: string, kind: 'read' | 'write'): void {
    this.#take(kind, userId)
  }

  #take(kind: keyof GitHubLimits, key: string): void {
    const { isAllowed, retryAfterSeconds } = this.#windows[kind].take(key)
    if (!isAllowed)
      throw new ApiError(429, 'rate-limited', `That was too often; try again in ${retryAfterSeconds} s.`, {
        details: { retryAfterSeconds },
      })
  }
}
