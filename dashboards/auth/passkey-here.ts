const place = 'flowfarm-passkey-here'

/** The passkey that was used in this browser last: base64url of its id, which is no secret. Undefined where none was, or nothing is kept. */
export function passkeyHere(): string | undefined {
  try {
    return localStorage.getItem(place) ?? undefined
  } catch {
    // Browsers may refuse to keep anything: then nobody knows.
    return undefined
  }
}

/** @param isFirst where it counts only if none was used yet: one that was made may be on another device */
export function usedPasskeyHere(credentialId: string, { isFirst = false } = {}): void {
  try {
    if (!isFirst || passkeyHere() === undefined) localStorage.setItem(place, credentialId)
  } catch {
    // As above.
  }
}
