/** One event of a stream of server-sent events. */
export interface StreamEvent {
  readonly event: string
  readonly data: string
}

/**
 * Reads server-sent events from the body of a response. Unlike the browser's EventSource it tells the status of a
 * refused request, and sees the comments that keep the stream alive: `onSign` is called for all that arrives.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>, onSign: () => void): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onSign()
      const blocks = (rest + value.replaceAll('\r', '')).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const event = parseEvent(block)
        if (event !== undefined) yield event
      }
    }
  } finally {
    await reader.cancel()
  }
}

/** The event of the lines between two empty ones; `undefined` for comments alone. */
export function parseEvent(block: string): StreamEvent | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^(event|data):? ?(.*)$/.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  return data.length === 0 && event === 'message' ? undefined : { event, data: data.join('\n') }
}
