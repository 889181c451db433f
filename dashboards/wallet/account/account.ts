import type { Auth } from '../../auth/auth-provider.tsx'
import type { SessionUser } from '../../auth/session-client.ts'
import { callJson, jsonBody } from '../../auth/problem.ts'
import { withConfirmation } from '../passkeys/passkeys.ts'

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
  return withConfirmation(access, { action: 'change-email', email }, (confirmation) =>
    call<OwnUser>(access, 'PUT', `/user?${back.toString()}`, { email, confirmation }),
  )
}

/** The address is theirs from now on; the page is told so by its session. */
export async function confirmEmail(access: Access, proof: EmailProof): Promise<void> {
  await call(access, 'POST', '/verify', { type: 'email_change', ...proof })
  await access.keeper.load()
}

/**
 * Nothing brings it back. Ends with nobody signed in, in all tabs.
 * @param abandon accounts that nobody can sign for afterwards
 */
export async function deleteUser(access: Access, abandon: readonly string[]): Promise<void> {
  await withConfirmation(access, { action: 'delete-user', abandon }, (confirmation) =>
    call(access, 'DELETE', '/user', { confirmation, abandon }),
  )
  // The session went with the user: what is left of it is the cookie.
  await access.keeper.signOut()
}

async function call<Answer>(
  { options, keeper }: Access,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers = { authorization: `Bearer ${await keeper.accessToken()}` }
  const sent =
    body === undefined
      ? { headers }
      : { ...jsonBody(body), headers: { ...headers, 'content-type': 'application/json' } }
  return callJson<Answer>(`${options.gotrueUrl}${path}`, { ...sent, method })
}
