import type { ServerResponse } from 'node:http'
import type { ChatChunk } from './chat-types.ts'

/** Proxies must not buffer or change the stream. */
const streamHeaders = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
  'X-Vercel-AI-UI-Message-Stream': 'v1',
} as const

export interface SendOptions {
  readonly keepAliveMs?: number
  readonly stallMs?: number
  readonly explain: (error: unknown) => string
}

/**
 * Resolves when the stream ends or the client disconnects. Never rejects.
 * @param open starts the answer, after the headers are sent
 */
export async function sendAnswer(
  response: ServerResponse,
  open: () => Promise<ReadableStream<ChatChunk>>,
  options: SendOptions,
): Promise<void> {
  const { keepAliveMs = 15_000, stallMs = 60_000, explain } = options
  response.writeHead(200, streamHeaders)
  response.flushHeaders()
  let writtenAt = performance.now()
  const write = async (text: string): Promise<void> => {
    if (response.destroyed) return
    writtenAt = performance.now()
    if (!response.write(text)) await whenDrained(response, stallMs)
  }
  const keepAlive = setInterval(() => {
    if (performance.now() - writtenAt >= keepAliveMs && !response.destroyed && !response.writableNeedDrain)
      response.write(': keep-alive\n\n')
  }, keepAliveMs)
  try {
    for await (const chunk of await open()) await write(eventOf(chunk))
  } catch (error) {
    await write(eventOf({ type: 'error', errorText: explain(error) }))
  }
  clearInterval(keepAlive)
  await write('data: [DONE]\n\n')
  response.end()
}

function eventOf(chunk: ChatChunk): string {
  return `data: ${JSON.stringify(chunk)}\n\n`
}

async function whenDrained(response: ServerResponse, stallMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stalled = setTimeout(() => response.destroy(), stallMs)
  response.once('drain', resolve)
  response.once('close', resolve)
  await promise
  clearTimeout(stalled)
  response.off('drain', resolve)
  response.off('close', resolve)
}
