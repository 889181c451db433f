/** What was called sends more than it may. */
export class ReplyTooLarge extends Error {}

/** What was called answered with a redirect. */
export class LeadsElsewhere extends Error {
  constructor(cause: unknown) {
    super('it leads elsewhere, where nothing is sent', { cause })
  }
}

/**
 * Calls a provider. It goes nowhere that it is sent to, since the key would go along, and it reads no more than a reply can have, so
 * that whatever listens at LLM_BASE_URL cannot fill the memory. Calls throw what `fetch` throws, and LeadsElsewhere; reading a body that is longer throws as well.
 * @param mostBytes of a reply
 */
export function providerFetch(mostBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetchOnce(input, { ...init, ...sentOnce(init) })
    if (response.body === null) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(countedStream(mostBytes)), { status, statusText, headers })
  }
}

/** Without a window and with redirects for errors, as otherwise `fetch` keeps a copy of what it sends, to send it again. */
async function fetchOnce(input: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
  try {
    return await fetch(input, { ...init, window: null, redirect: 'error' })
  } catch (error) {
    throw isRedirect(error) ? new LeadsElsewhere(error) : error
  }
}

function isRedirect(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'unexpected redirect'
}

/**
 * `fetch` keeps a text that it is given, and its bytes, as long as the reply takes, which may be minutes; a stream it keeps no longer than it is
 * sent. Its length is told, as not all servers take bodies of unknown length.
 */
function sentOnce(init: RequestInit | undefined): RequestInit {
  const body = init?.body
  if (typeof body !== 'string') return {}
  const bytes = new TextEncoder().encode(body)
  const headers = new Headers(init?.headers)
  headers.set('Content-Length', String(bytes.byteLength))
  return { headers, duplex: 'half', body: onceStream(bytes) }
}

/** Holds the bytes until they are read. */
function onceStream(bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  let left: Uint8Array<ArrayBuffer> | undefined = bytes
  return new ReadableStream(
    {
      pull(controller) {
        if (left !== undefined) controller.enqueue(left)
        left = undefined
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

function countedStream(mostBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > mostBytes) controller.error(new ReplyTooLarge(`the reply has more than ${mostBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
}
