/**
 * The body of a response as text, while it is no longer than it may be; the rest of a longer one is not read.
 * @param tooLong what is thrown for a longer one
 */
export async function responseText(response: Response, maxBytes: number, tooLong: () => Error): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** What a text says as JSON; undefined for what is none: proxies before servers answer with pages. */
export function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
