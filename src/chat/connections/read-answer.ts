/**
 * Reads a stream of events until the answer to a request is in it.
 * @param id of the request
 * @returns the answer as JSON; undefined where the stream ends without it
 * @throws what reading the stream throws
 */
export async function readAnswer(stream: ReadableStream<Uint8Array>, id: string): Promise<string | undefined> {
  let data: string[] = []
  for await (const line of linesOf(stream)) {
    if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5))
    if (line !== '' || data.length === 0) continue
    const message = data.join('\n')
    data = []
    if (isAnswerTo(message, id)) return message
  }
  return undefined
}

/** Without their ends: \n, \r\n or \r. What comes after the last of them is no line. Leaving the loop lets go of the stream. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const bytes of stream) {
    const [first = '', ...lines] = decoder.decode(bytes, { stream: true }).split('\n')
    parts.push(first)
    for (const line of lines) {
      const whole = parts.join('')
      parts = [line]
      yield* whole.replace(/\r$/, '').split('\r')
    }
  }
}

function isAnswerTo(text: string, id: string): boolean {
  try {
    const message: unknown = JSON.parse(text)
    if (typeof message !== 'object' || message === null) return false
    return 'id' in message && String(message.id) === id && ('result' in message || 'error' in message)
  } catch {
    // Some servers send empty events or words to keep the connection; what is no JSON is no answer.
    return false
  }
}
