export class ReplyTooLargeError extends Error {}

/** The reply is a redirect. */
export class RedirectError extends Error {
  constructor(cause: unknown) {
    super('it is a redirect, which is not followed', { cause })
  }
}

/**
 * Refuses redirects, since the key would go along, and bounds replies.
 * @throws errors of `fetch`, RedirectError; while reading, ReplyTooLargeError
 */
export function providerFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetchOnce(input, { ...init, ...sentOnce(init) })
    if (response.body === null) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(countedStream(maxBytes)), { status, statusText, headers })
  }
}

/** With a window or redirects `fetch` would keep a copy of the body. */
async function fetchOnce(input: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
  try {
    return await fetch(input, { ...init, window: null, redirect: 'error' })
  } catch (error) {
    throw isRedirect(error) ? new RedirectError(error) : error
  }
}

function isRedirect(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'unexpected redirect'
}

/**
 * `fetch` keeps a string body in memory until the reply ends, but a stream only until it is sent.
 * Some servers refuse bodies of unknown length, so the length is set.
 */
function sentOnce(init: RequestInit | undefined): RequestInit {
  const body = init?.body
  if (typeof body !== 'string') return {}
  const bytes = new TextEncoder().encode(body)
  const headers = new Headers(init?.headers)
  headers.set('Content-Length', String(bytes.byteLength))
  return { headers, duplex: 'half', body: onceStream(bytes) }
}

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

function countedStream(maxBytes: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > maxBytes) controller.error(new ReplyTooLargeError(`the reply has more than ${maxBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
}
