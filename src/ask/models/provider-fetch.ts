/** Many times a reply of the longest length, with what the protocol puts around it. */
const mostReplyBytes = 4 * 1024 * 1024

/**
 * Calls a provider. It goes nowhere that it is sent to, since the key would go along, and it reads no more than a reply can have, so
 * that whatever listens at LLM_BASE_URL cannot fill the memory.
 * @throws what `fetch` throws; reading a body that is longer throws as well
 */
export const providerFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' })
  if (response.body === null) return response
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(countedStream()), { status, statusText, headers })
}

function countedStream(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > mostReplyBytes) controller.error(new Error(`the reply has more than ${mostReplyBytes} bytes`))
      else controller.enqueue(chunk)
    },
  })
}
