import { base64UrlOf, sha256 } from '../../clients/signing/bytes.ts'
import { callJson, jsonBody } from '../auth/auth-service.ts'
import { ApiProblem } from '../kit/api.ts'
import type { WalletSettings } from './types.ts'

/** Sign-in at the wallet by authorization code with PKCE (RFC 7636). */

interface PendingSignIn {
  readonly state: string
  readonly verifier: string
  readonly back: string
}

const place = 'flowfarm-editor-sign-in'
const callbackPath = '/developer/callback'

export async function beginSignIn({ authorize_url: authorizeUrl, client_id: clientId }: WalletSettings): Promise<void> {
  const random = (): string => base64UrlOf(crypto.getRandomValues(new Uint8Array(32)))
  const started: PendingSignIn = { state: random(), verifier: random(), back: location.pathname }
  sessionStorage.setItem(place, JSON.stringify(started))
  const url = new URL(authorizeUrl)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri(),
    state: started.state,
    code_challenge: base64UrlOf(await sha256(new TextEncoder().encode(started.verifier))),
    code_challenge_method: 'S256',
  }).toString()
  location.assign(url.href)
}

/** Single-use. @returns refresh token @throws ApiProblem */
export async function finishSignIn(
  { token_url: tokenUrl, client_id: clientId }: WalletSettings,
  address: URL,
): Promise<string> {
  const started = takePending()
  const value = (name: string): string => address.searchParams.get(name) ?? ''
  // Another site could redirect users here with a code for its own account.
  if (started === undefined || value('state') !== started.state)
    throw new ApiProblem(400, 'other-tab', 'This sign-in was not started in this tab. Sign in again.')
  if (value('error') !== '')
    throw new ApiProblem(400, value('error'), 'Not signed in: the sign-in was cancelled at the wallet.')
  const { refresh_token: token } = await callJson<{ readonly refresh_token?: unknown }>(
    tokenUrl,
    jsonBody({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri(),
      code: value('code'),
      code_verifier: started.verifier,
    }),
  )
  if (typeof token !== 'string')
    throw new ApiProblem(502, 'no-session', 'The wallet returned no session. Sign in again.')
  return token
}

export function returnPath(): string {
  return /^\/p\/[a-z0-9-]+$/.test(back) ? back : '/'
}

let back = '/'

function takePending(): PendingSignIn | undefined {
  const text = sessionStorage.getItem(place)
  sessionStorage.removeItem(place)
  if (text === null) return undefined
  const started = JSON.parse(text) as PendingSignIn
  ;({ back } = started)
  return started
}

function redirectUri(): string {
  return new URL(callbackPath, location.origin).href
}
