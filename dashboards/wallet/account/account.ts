import type { Auth } from '../../auth/auth-provider.tsx'
import type { SessionUser } from '../../auth/session-client.ts'
import { callJson, jsonBody, WalletProblem, wasNotGiven } from '../../auth/problem.ts'
import { signInByPasskey } from '../../auth/sign-in.ts'

/** What people do with their account at the wallet's own auth endpoint. Every function throws WalletProblem; those that may ask for a passkey throw what the browser throws too. */

type Access = Pick<Auth, 'options' | 'keeper'>

/** `GET /user` */
export interface OwnUser extends SessionUser {
  /** An address that waits for its code. */
  readonly new_email?: string
}

/** What shows that an address is theirs: the code of the e-mail, or the token of its link. */
export type EmailProof = { readonly email: string; readonly token: string } | { readonly token_hash: string }

export async function readUser(access: Access): Promise<OwnUser> {
  return await call<OwnUser>(access, 'GET', '/user')
}

/** Has an e-mail with a code sent to the new address. */
export async function askForEmail(access: Access, email: string): Promise<OwnUser> {
  const back = new URLSearchParams({ redirect_to: new URL('/account', location.origin).href })
  return withRecentSignIn(access, () => call<OwnUser>(access, 'PUT', `/user?${back.toString()}`, { email }))
}

/** The address is theirs from now on; the page is told so by its session. */
export async function confirmEmail(access: Access, proof: EmailProof): Promise<void> {
  await call(access, 'POST', '/verify', { type: 'email_change', ...proof })
  await access.keeper.load()
}

/** Nothing brings it back. Ends with nobody signed in, in all tabs. */
export async function deleteUser(access: Access): Promise<void> {
  await withRecentSignIn(access, () => call(access, 'DELETE', '/user'))
  // The session went with the user: what is left of it is the cookie.
  await access.keeper.signOut()
}

async function call<Answer>({ options, keeper }: Access, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${await keeper.accessToken()}` }
  const sent = body === undefined ? { headers } : { ...jsonBody(body), headers: { ...headers, 'content-type': 'application/json' } }
  return callJson<Answer>(`${options.gotrueUrl}${path}`, { ...sent, method })
}

/** Where the sign-in is too long ago for what is asked, a passkey signs them in again: the same person, or nothing is done. */
async function withRecentSignIn<Answer>({ options, keeper }: Access, run: () => Promise<Answer>): Promise<Answer> {
  const before = keeper.state
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof WalletProblem) || error.code !== 'reauthentication_needed') throw error
    const token = await signInByPasskey(options).catch((refusal: unknown) => {
      if (!wasNotGiven(refusal)) throw refusal
      throw new WalletProblem(403, error.code, 'No passkey was used. You signed in more than 15 minutes ago: try again with a passkey, or sign out and in again.')
    })
    await keeper.adopt(token)
    const { state } = keeper
    if (before.status !== 'signed-in' || state.status !== 'signed-in' || state.session.user.id !== before.session.user.id) {
      throw new WalletProblem(403, 'other-account', 'This passkey is of another account, which you are signed in to now. Nothing was changed.')
    }
    return run()
  }
}
