import { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } from '@simplewebauthn/browser'
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { base64UrlOf, hexOf, sha256 } from '../../clients/signing/bytes.ts'
import { callbackUrl, callJson, jsonBody, callFunction } from './auth-service.ts'
import { ApiProblem } from '../kit/api.ts'
import type { FullAuthOptions } from './auth-service.ts'

/** Sign-in methods; each returns a refresh token for the session manager and throws ApiProblem. */

interface TokenAnswer {
  readonly refresh_token?: unknown
  readonly access_token?: unknown
  readonly user?: { readonly email?: unknown }
}

export const oauthNames = { github: 'GitHub', google: 'Google' } as const

type OAuthName = keyof typeof oauthNames

export async function offeredOAuth(
  { gotrueUrl }: FullAuthOptions,
  signal?: AbortSignal,
): Promise<readonly OAuthName[]> {
  const { external = {} } = await callJson<{ readonly external?: Readonly<Record<string, boolean>> }>(
    `${gotrueUrl}/settings`,
    signal === undefined ? {} : { signal },
  )
  return (Object.keys(oauthNames) as OAuthName[]).filter((name) => external[name] === true)
}

/** The response does not reveal whether the address has an account. */
export async function sendCode(options: FullAuthOptions, email: string): Promise<void> {
  const back = new URLSearchParams({ redirect_to: callbackUrl(options, location.origin) })
  await callJson(
    `${options.gotrueUrl}/otp?${back.toString()}`,
    jsonBody({ email, create_user: true, data: {}, ...(await beginProof()) }),
  )
}

/** @returns refresh token */
export async function verifyCode({ gotrueUrl }: FullAuthOptions, email: string, code: string): Promise<string> {
  return refreshTokenOf(
    await callJson<TokenAnswer>(`${gotrueUrl}/verify`, jsonBody({ type: 'email', email, token: code })),
  )
}

export async function startOAuth(options: FullAuthOptions, provider: OAuthName): Promise<void> {
  const query = new URLSearchParams({
    provider,
    redirect_to: callbackUrl(options, location.origin),
    ...(await beginProof()),
  })
  location.assign(`${options.gotrueUrl}/authorize?${query.toString()}`)
}

/** @returns refresh token */
export async function finishCallback({ gotrueUrl }: FullAuthOptions, address: URL): Promise<string> {
  const fragment = new URLSearchParams(address.hash.slice(1))
  const value = (name: string): string | null => address.searchParams.get(name) ?? fragment.get(name)
  const refused = value('error_description') ?? value('error')
  if (refused !== null) throw new ApiProblem(400, value('error_code') ?? 'refused', refused)
  const code = value('code')
  if (code === null)
    throw new ApiProblem(400, 'no-code', 'The sign-in link is incomplete: it has no code. Start the sign-in again.')
  const verifier = takeProof()
  if (verifier === undefined) {
    throw new ApiProblem(
      400,
      'other-browser',
      'This sign-in started in another browser. Enter the code there, or start again here.',
    )
  }
  return refreshTokenOf(
    await callJson<TokenAnswer>(
      `${gotrueUrl}/token?grant_type=pkce`,
      jsonBody({ auth_code: code, code_verifier: verifier }),
    ),
  )
}

export interface LinkSession {
  readonly email: string
  readonly refreshToken: string
  readonly refuse: () => Promise<void>
}

/** Anyone may have sent such a link, so the user must confirm the account. */
export async function openLink({ gotrueUrl }: FullAuthOptions, tokenHash: string): Promise<LinkSession> {
  const answer = await callJson<TokenAnswer>(
    `${gotrueUrl}/verify`,
    jsonBody({ type: 'magiclink', token_hash: tokenHash }),
  )
  const { access_token: accessToken, user } = answer
  return {
    email: typeof user?.email === 'string' ? user.email : '',
    refreshToken: refreshTokenOf(answer),
    refuse: async () =>
      void (await callJson(`${gotrueUrl}/logout?scope=local`, {
        method: 'POST',
        headers: { authorization: `Bearer ${String(accessToken)}` },
      })),
  }
}

interface PasskeySignIn {
  readonly isAutofill?: boolean
  readonly onGiven?: () => void
}

/** @returns refresh token. @throws the browser's error if no passkey is used */
export async function signInByPasskey(
  options: FullAuthOptions,
  { isAutofill = false, onGiven = () => undefined }: PasskeySignIn = {},
): Promise<string> {
  const { rpId } = options
  const started = await callFunction<{
    readonly options: PublicKeyCredentialRequestOptionsJSON
    readonly challengeId: string
  }>(options, '/login/start', { rpId })
  const response: AuthenticationResponseJSON = await startAuthentication({
    optionsJSON: started.options,
    useBrowserAutofill: isAutofill,
  })
  onGiven()
  const { tokenHash } = await callFunction<{ readonly tokenHash: string }>(options, '/login/finish', {
    rpId,
    challengeId: started.challengeId,
    response,
  }).catch((error: unknown) => {
    if (error instanceof ApiProblem && error.code === 'PASSKEY_REMOVED') signalUnknown(rpId, response.id)
    throw error
  })
  rememberPasskey(response.id)
  return refreshTokenOf(
    await callJson<TokenAnswer>(`${options.gotrueUrl}/verify`, jsonBody({ type: 'magiclink', token_hash: tokenHash })),
  )
}

export function canAutofill(): Promise<boolean> {
  return browserSupportsWebAuthnAutofill()
}

export function cancelPasskeyPrompt(): void {
  WebAuthnAbortService.cancelCeremony()
}

function refreshTokenOf({ refresh_token: token }: TokenAnswer): string {
  if (typeof token !== 'string' || token === '')
    throw new ApiProblem(502, 'no-session', 'The sign-in returned no session. Try again.')
  return token
}

const verifierKey = 'flowfarm-code-verifier'

const bytes = 56

/** PKCE: the verifier stays in this browser. */
async function beginProof(): Promise<{
  readonly code_challenge: string
  readonly code_challenge_method: 's256'
}> {
  const verifier = hexOf(crypto.getRandomValues(new Uint8Array(bytes)))
  // Links in e-mails open in another tab.
  localStorage.setItem(verifierKey, verifier)
  return {
    code_challenge: base64UrlOf(await sha256(new TextEncoder().encode(verifier))),
    code_challenge_method: 's256',
  }
}

/** The verifier, single-use. Undefined in another browser. */
function takeProof(): string | undefined {
  const verifier = localStorage.getItem(verifierKey) ?? undefined
  localStorage.removeItem(verifierKey)
  return verifier
}

const passkeyKey = 'flowfarm-passkey-here'

/** base64url */
export function rememberedPasskey(): string | undefined {
  try {
    return localStorage.getItem(passkeyKey) ?? undefined
  } catch {
    // Storage may be blocked.
    return undefined
  }
}

/** @param isFirst only if none is stored: a created passkey may be on another device */
export function rememberPasskey(credentialId: string, { isFirst = false } = {}): void {
  try {
    if (!isFirst || rememberedPasskey() === undefined) localStorage.setItem(passkeyKey, credentialId)
  } catch {
    // Storage may be blocked.
  }
}

/** Whether the browser has the WebAuthn signal API. */
export function hasSignals(): boolean {
  return typeof PublicKeyCredential === 'function' && 'signalUnknownCredential' in PublicKeyCredential
}

/**
 * Password managers delete the passkey. Only if the service found no account with its key: a passkey
 * that it does not know can still be one, for example after a restored backup.
 */
function signalUnknown(rpId: string, credentialId: string): void {
  if (hasSignals()) PublicKeyCredential.signalUnknownCredential({ rpId, credentialId }).catch(() => undefined)
}
