import { callJson, jsonBody } from './problem.ts'
import type { FullAuthOptions } from './auth-options.ts'

/** Who is signed in, as the auth server has it. */
export interface SessionUser {
  readonly id: string
  readonly email?: string | null
  readonly app_metadata?: unknown
  readonly user_metadata?: unknown
}

/** What a page has of a session. It is kept in memory alone. */
export interface PageSession {
  readonly access_token: string
  /** Seconds since 1970. */
  readonly expires_at: number
  readonly user: SessionUser
}

type SessionOptions = Pick<FullAuthOptions, 'sessionUrl' | 'cookieDomain'>
interface Answer {
  readonly session: PageSession | null
}

/** The header is what forms of other sites cannot send. */
const own = { 'x-wallet-session': '1' }

/** What a browser sends along: cookies to another origin where the service is there, unless a domain is named that this page is not of. */
function credentialsOf({ sessionUrl, cookieDomain }: SessionOptions): RequestCredentials {
  const isElsewhere = new URL(sessionUrl, location.origin).origin !== location.origin
  const isOfDomain =
    cookieDomain === undefined || `.${location.hostname}`.endsWith(`.${cookieDomain.replace(/^\./, '').toLowerCase()}`)
  return isElsewhere && isOfDomain ? 'include' : 'same-origin'
}

/** The next access token by the cookie; undefined where nobody is signed in. @throws WalletProblem */
export async function readSession(options: SessionOptions): Promise<PageSession | undefined> {
  const { session } = await callJson<Answer>(options.sessionUrl, { headers: own, credentials: credentialsOf(options) })
  return session ?? undefined
}

/** Puts what a sign-in gave into the cookie, where no script reads it. @throws WalletProblem */
export async function keepSession(options: SessionOptions, refreshToken: string): Promise<PageSession | undefined> {
  const post = jsonBody({ refresh_token: refreshToken })
  const { session } = await callJson<Answer>(options.sessionUrl, {
    ...post,
    headers: { ...own, 'content-type': 'application/json' },
    credentials: credentialsOf(options),
  })
  return session ?? undefined
}

/** `global`: on all devices. @throws WalletProblem */
export async function endSession(options: SessionOptions, scope: 'local' | 'global' | 'others'): Promise<void> {
  await callJson(`${options.sessionUrl}?scope=${scope}`, {
    method: 'DELETE',
    headers: own,
    credentials: credentialsOf(options),
  })
}
