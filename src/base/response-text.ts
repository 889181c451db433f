/**
 * The body of a response as text, while it is no longer than it may be; the rest of a longer one is not read.
 * @param tooLong what is thrown for a longer one
 */
export async function responseText(response: Response, mostBytes: number, tooLong: () => Error): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > mostBytes) throw tooLong()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
