const encoder = new TextEncoder()

/**
 * The name that Git has for a text: the SHA-1 of its length and its bytes, 40 hex digits.
 * @throws Error on pages that came over plain HTTP from another machine, which browsers give no hashes
 */
export async function blobId(text: string): Promise<string> {
  if (!isSecureContext)
    throw new Error('Files can be compared only where this page is opened at https:// or localhost.')
  const bytes = encoder.encode(text)
  const head = encoder.encode(`blob ${bytes.length}\0`)
  const all = new Uint8Array(head.length + bytes.length)
  all.set(head)
  all.set(bytes, head.length)
  return [...new Uint8Array(await crypto.subtle.digest('SHA-1', all))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
