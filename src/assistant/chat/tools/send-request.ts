import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { OutboundNetwork } from './fetch-api.ts'

/** A request to the one address that was checked. */
export interface CheckedRequest {
  readonly url: URL
  /** IP address to connect to, whatever the name of the host leads to by now. */
  readonly address: string
  readonly method: 'GET' | 'POST'
  /** JSON; undefined: none. */
  readonly body: string | undefined
}

export interface RawAnswer {
  readonly status: number
  /** Without its spaces, in lower case; empty where there is none. */
  readonly contentType: string
  /** Where a redirect leads; undefined: it is none. Its body is not read. */
  readonly location: string | undefined
  /** What it holds once it is decompressed. */
  readonly bytes: Buffer
  /** There was more of it. */
  readonly isCut: boolean
}

/** More of a body is not read, neither as it comes nor decompressed. */
export const mostBodyBytes = 2 * 1024 * 1024

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Sends a request and reads its answer over a connection of its own. @throws when there is none, and when the signal is aborted */
export async function sendRequest(
  { url, address, method, body }: CheckedRequest,
  { port, ca }: OutboundNetwork,
  signal: AbortSignal,
): Promise<RawAnswer> {
  const answered = Promise.withResolvers<IncomingMessage>()
  const request = httpsRequest({
    agent: false,
    host: address,
    port,
    servername: url.hostname,
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    path: `${url.pathname}${url.search}`,
    method,
    signal,
    headers: {
      host: url.host,
      accept: 'application/json, text/plain;q=0.8, */*;q=0.1',
      'accept-encoding': 'gzip, br',
      'user-agent': 'flowfarm-chat/1',
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
  })
  request.on('error', answered.reject)
  request.once('response', answered.resolve)
  // Without an error that is what comes of an answer that wants to speak another protocol (101).
  request.once('close', () => answered.reject(new Error('the connection was closed without an answer')))
  request.end(body)
  try {
    return await readAnswer(await answered.promise)
  } finally {
    request.destroy()
  }
}

async function readAnswer(response: IncomingMessage): Promise<RawAnswer> {
  const status = response.statusCode ?? 0
  const { location, 'content-type': contentType = '', 'content-encoding': coding = 'identity' } = response.headers
  const isRedirect = redirects.has(status) && location !== undefined
  const { bytes, isCut } = isRedirect ? { bytes: Buffer.alloc(0), isCut: false } : await readBody(response, coding)
  return {
    status,
    contentType: contentType.toLowerCase().replaceAll(' ', ''),
    location: isRedirect ? location : undefined,
    bytes,
    isCut,
  }
}

/** Decompresses as it comes, so that what a few bytes unfold to is never held. */
async function readBody(
  response: IncomingMessage,
  coding: string,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const decoder = decoderOf(coding)
  // Its errors are those of the decoder, which is read.
  const body = decoder === undefined ? response : pipeline(response, countedBytes(), decoder, () => undefined)
  const chunks: Buffer[] = []
  let room = mostBodyBytes
  // Leaving the loop closes the connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, room))
    room -= chunk.length
    if (room < 0) break
  }
  return { bytes: Buffer.concat(chunks), isCut: room < 0 }
}

/** Endless bytes may unfold to nothing. */
function countedBytes(): Transform {
  let room = mostBodyBytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      room -= chunk.length
      if (room < 0) done(new Error(`its compressed body has more than ${mostBodyBytes} bytes`))
      else done(null, chunk)
    },
  })
}

function decoderOf(coding: string): Transform | undefined {
  switch (coding.toLowerCase()) {
    case 'identity':
    case '':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new Error('its body is compressed in a way that was not asked for')
  }
}
