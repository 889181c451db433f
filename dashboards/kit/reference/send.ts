export interface Answered {
  /** 0 without a response. */
  readonly status: number
  readonly statusText: string
  readonly ms: number
  /** Read bytes. */
  readonly bytes: number
  /** JSON is indented. */
  readonly text: string
  readonly isCut: boolean
  /** Cursor of the next page; empty on the last page and for other responses. */
  readonly cursor: string
}

const timeoutMs = 30_000
const maxBytes = 256 * 1024

/** Does not reject. */
export async function send(url: string, init: RequestInit & { readonly signal: AbortSignal }): Promise<Answered> {
  const begin = performance.now()
  const since = (): number => Math.round(performance.now() - begin)
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any([init.signal, timeout]) })
    const { text, bytes, isCut } = await readBeginning(response)
    const json = isCut ? undefined : parse(text)
    return {
      status: response.status,
      statusText: response.statusText,
      ms: since(),
      bytes,
      text: json === undefined ? text : JSON.stringify(json, null, 2),
      isCut,
      cursor: cursorOf(json),
    }
  } catch (error) {
    const text = init.signal.aborted
      ? 'The request was cancelled.'
      : timeout.aborted
        ? `The API did not respond within ${timeoutMs / 1000} s.`
        : `The API is not reachable: ${error instanceof Error ? error.message : String(error)}.`
    return { status: 0, statusText: '', ms: since(), bytes: 0, text, isCut: false, cursor: '' }
  }
}

async function readBeginning({ body }: Response): Promise<{ text: string; bytes: number; isCut: boolean }> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const reader = body?.getReader()
  for (;;) {
    const part = await reader?.read()
    if (part?.value === undefined) return { text: text + decoder.decode(), bytes, isCut: false }
    bytes += part.value.byteLength
    text += decoder.decode(part.value, { stream: true })
    if (bytes > maxBytes) {
      await reader?.cancel()
      return { text: text.slice(0, maxBytes), bytes, isCut: true }
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function cursorOf(json: unknown): string {
  if (typeof json !== 'object' || json === null || !('has_more' in json) || !('cursor' in json)) return ''
  return json.has_more === true && typeof json.cursor === 'string' ? json.cursor : ''
}
