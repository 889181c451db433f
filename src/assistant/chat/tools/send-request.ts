import type { IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { pipeline, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { OutboundNetwork } from './fetch-api.ts'

export interface CheckedRequest {
  readonly url: URL
  /** IP address to connect to, independent of later DNS changes. */
  readonly address: string
  readonly method: 'GET' | 'POST'
  readonly body: string | undefined
}

export interface RawAnswer {
  readonly status: number
  readonly contentType: string
  readonly location: string | undefined
  readonly bytes: Buffer
  readonly isCut: boolean
}

export const maxBodyBytes = 2 * 1024 * 1024

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Over a separate connection. @throws on failure, or when the signal is aborted */
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
  // A protocol switch (101) closes without an error.
  request.once('close', () => answered.reject(new Error('the connection was closed without a response')))
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

/** Decompresses while reading, so that a compression bomb is never in memory. */
async function readBody(
  response: IncomingMessage,
  coding: string,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const decoder = decoderOf(coding)
  // Errors surface in the decoder, which is read.
  const body = decoder === undefined ? response : pipeline(response, countedBytes(), decoder, () => undefined)
  const chunks: Buffer[] = []
  let remaining = maxBodyBytes
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, remaining))
    remaining -= chunk.length
    if (remaining < 0) break
  }
  return { bytes: Buffer.concat(chunks), isCut: remaining < 0 }
}

/** Endless input may decompress to nothing. */
function countedBytes(): Transform {
  let remaining = maxBodyBytes
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      remaining -= chunk.length
      if (remaining < 0) done(new Error(`compressed body larger than ${maxBodyBytes} bytes`))
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
      throw new Error('unsupported Content-Encoding')
  }
}
