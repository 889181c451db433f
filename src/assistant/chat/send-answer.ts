import type { ServerResponse } from 'node:http'
import type { ChatChunk } from './chat-types.ts'

/** Of the AI SDK's UI message stream, which its clients look for. No proxy between is to keep or change what it passes on. */
const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Vercel-AI-UI-Message-Stream': 'v1',
} as const

export interface SendOptions {
  /** After how long without a word a remark is sent, so that no proxy takes the connection for dead, ms. Default 15,000. */
  readonly remarkMs?: number
  /** How long a client may take nothing of what it is sent, before it is let go, ms. Default 60,000. */
  readonly stallMs?: number
  /** Words for a stream that could not be begun, or broke in a way that it does not tell itself. */
  readonly explain: (error: unknown) => string
}

/**
 * Sends an answer as server-sent events, each as soon as it is there. Resolves when the stream has its end, also where the client has
 * left before: then nobody reads it, and it is only waited for. Never rejects.
 * @param open begins the answer; the client is told at once that one will come
 */
export async function sendAnswer(
  response: ServerResponse,
  open: () => Promise<ReadableStream<ChatChunk>>,
  options: SendOptions,
): Promise<void> {
  const { remarkMs = 15_000, stallMs = 60_000, explain } = options
  response.writeHead(200, streamHeaders)
  response.flushHeaders()
  let saidAt = performance.now()
  const write = async (text: string): Promise<void> => {
    if (response.destroyed) return
    saidAt = performance.now()
    if (!response.write(text)) await whenTaken(response, stallMs)
  }
  const remarks = setInterval(() => {
    if (performance.now() - saidAt >= remarkMs && !response.destroyed && !response.writableNeedDrain)
      response.write(': still here\n\n')
  }, remarkMs)
  try {
    for await (const chunk of await open()) await write(eventOf(chunk))
  } catch (error) {
    await write(eventOf({ type: 'error', errorText: explain(error) }))
  }
  clearInterval(remarks)
  await write('data: [DONE]\n\n')
  response.end()
}

function eventOf(chunk: ChatChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}

/** Resolves when the client has taken what was written, or has left, which one is made to that takes nothing. */
async function whenTaken(response: ServerResponse, stallMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stalled = setTimeout(() => response.destroy(), stallMs)
  response.once('drain', resolve)
  response.once('close', resolve)
  await promise
  clearTimeout(stalled)
  response.off('drain', resolve)
  response.off('close', resolve)
}
