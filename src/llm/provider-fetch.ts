/** What was called sends more than it may. */
export class ReplyTooLarge extends Error {}

/**
 * Calls a provider. It goes nowhere that it is sent to, since the key would go along, and it reads no more than a reply can have, so
 * that whatever listens at LLM_BASE_URL cannot fill the memory. Calls throw what `fetch` throws; reading a body that is longer throws as well.
 * @param mostBytes of a reply
 */
export function providerFetch(mostBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, ...bytesOf(init?.body), redirect: 'manual' })
    if (response.body === null) return response
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(countedStream(mostBytes)), { status, statusText, headers })
  }
}

/** `fetch` keeps what it was given as long as the reply takes: a text beside its bytes, bytes twice, a blob once. */
function bytesOf(body: RequestInit['body']): Pick<RequestInit, 'body'> {
  return typeof body === 'string' ? { body: new Blob([body]) } : {}
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
