import { base64UrlOf, hexOf, sha256 } from '../../clients/signing/bytes.ts'

const place = 'flowfarm-code-verifier'
const bytes = 56

/** Begins a sign-in that comes back to this browser with a code: what proves that it began here stays here. */
export async function beginProof(): Promise<{
  readonly code_challenge: string
  readonly code_challenge_method: 's256'
}> {
  const verifier = hexOf(crypto.getRandomValues(new Uint8Array(bytes)))
  // A link in an e-mail is opened in another tab.
  localStorage.setItem(place, verifier)
  return {
    code_challenge: base64UrlOf(await sha256(new TextEncoder().encode(verifier))),
    code_challenge_method: 's256',
  }
}

/** What proves it, once. Undefined in another browser than that in which it began. */
export function takeProof(): string | undefined {
  const verifier = localStorage.getItem(place) ?? undefined
  localStorage.removeItem(place)
  return verifier
}
