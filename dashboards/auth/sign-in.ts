import { browserSupportsWebAuthnAutofill, startAuthentication, WebAuthnAbortService } from '@simplewebauthn/browser'
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'
import { base64UrlOf, hexOf, sha256 } from '../../clients/signing/bytes.ts'
import { callbackUrl, callJson, jsonBody, callFunction } from './auth-service.ts'
import { ApiProblem } from '../kit/api.ts'
import type { FullAuthOptions } from './auth-service.ts'

/** Sign-in methods; each returns a refresh token for the session keeper and throws ApiProblem. */

interface TokenAnswer {
  readonly refresh_token?: unknown
  readonly access_token?: unknown
  readonly user?: { readonly email?: unknown }
}

export const oauthNames = { github: 'GitHub', google: 'Google' } as const

type OAuthName = keyof typeof oauthNames

/** Which others people can sign in with. */
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

/** Sends an e-mail with a code and a link. Whether the address has an account is not told. */
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

/** Leaves the page. */
export async function startOAuth(options: FullAuthOptions, provider: OAuthName): Promise<void> {
  const query = new URLSearchParams({
    provider,
    redirect_to: callbackUrl(options, location.origin),
    ...(await beginProof()),
  })
  location.assign(`${options.gotrueUrl}/authorize?${query.toString()}`)
}

/** Comes back from a link or from a sign-in with others. @returns refresh token */
export async function finishCallback({ gotrueUrl }: FullAuthOptions, address: URL): Promise<string> {
  const told = new URLSearchParams(address.hash.slice(1))
  const value = (name: string): string | null => address.searchParams.get(name) ?? told.get(name)
  const refused = value('error_description') ?? value('error')
  if (refused !== null) throw new ApiProblem(400, value('error_code') ?? 'refused', refused)
  const code = value('code')
  if (code === null)
    throw new ApiProblem(400, 'no-code', 'This address belongs to the end of a sign-in, and there is none.')
  const verifier = takeProof()
  if (verifier === undefined) {
    throw new ApiProblem(
      400,
      'other-browser',
      'This sign-in began in another browser. Type the code of the e-mail there, or begin again here.',
    )
  }
  return refreshTokenOf(
    await callJson<TokenAnswer>(
      `${gotrueUrl}/token?grant_type=pkce`,
      jsonBody({ auth_code: code, code_verifier: verifier }),
    ),
  )
}

/** A session that nobody has said yes to. */
export interface OfferedSession {
  /** Empty: the user has none. */
  readonly email: string
  readonly refreshToken: string
  /** Ends it, where nobody wants it. */
  readonly refuse: () => Promise<void>
}

/**
 * Trades the token of a link that leads back without a code, which anybody may have sent: so whoever opened it has to
 * be asked whether that is who they are.
 */
export async function openLink({ gotrueUrl }: FullAuthOptions, tokenHash: string): Promise<OfferedSession> {
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
  /** Waits until a passkey is chosen among what the browser offers in the field for the e-mail address. */
  readonly isAutofill?: boolean
  /** Told when the browser has given one. */
  readonly onGiven?: () => void
}

/** @returns refresh token. @throws what the browser throws where no passkey is given */
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
  })
  usedPasskeyHere(response.id)
  return refreshTokenOf(
    await callJson<TokenAnswer>(`${options.gotrueUrl}/verify`, jsonBody({ type: 'magiclink', token_hash: tokenHash })),
  )
}

/** Whether browsers can offer passkeys in a field. */
export function canAutofill(): Promise<boolean> {
  return browserSupportsWebAuthnAutofill()
}

/** Ends a question for a passkey that nobody has answered. */
export function stopAsking(): void {
  WebAuthnAbortService.cancelCeremony()
}

function refreshTokenOf({ refresh_token: token }: TokenAnswer): string {
  if (typeof token !== 'string' || token === '')
    throw new ApiProblem(502, 'no-session', 'The sign-in gave no session. Try again.')
  return token
}

const verifierKey = 'flowfarm-code-verifier'

const bytes = 56

/** Begins a sign-in that comes back to this browser with a code: what proves that it began here stays here. */
async function beginProof(): Promise<{
  readonly code_challenge: string
  readonly code_challenge_method: 's256'
}> {
  const verifier = hexOf(crypto.getRandomValues(new Uint8Array(bytes)))
  // A link in an e-mail is opened in another tab.
  localStorage.setItem(verifierKey, verifier)
  return {
    code_challenge: base64UrlOf(await sha256(new TextEncoder().encode(verifier))),
    code_challenge_method: 's256',
  }
}

/** What proves it, once. Undefined in another browser than that in which it began. */
function takeProof(): string | undefined {
  const verifier = localStorage.getItem(verifierKey) ?? undefined
  localStorage.removeItem(verifierKey)
  return verifier
}

const passkeyKey = 'flowfarm-passkey-here'

/** base64url id of the passkey last used in this browser; undefined if none is stored. */
export function passkeyHere(): string | undefined {
  try {
    return localStorage.getItem(passkeyKey) ?? undefined
  } catch {
    // Browsers may refuse to keep anything: then nobody knows.
    return undefined
  }
}

/** @param isFirst where it counts only if none was used yet: one that was made may be on another device */
export function usedPasskeyHere(credentialId: string, { isFirst = false } = {}): void {
  try {
    if (!isFirst || passkeyHere() === undefined) localStorage.setItem(passkeyKey, credentialId)
  } catch {
    // As above.
  }
}
