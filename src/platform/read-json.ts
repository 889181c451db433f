import type { IncomingMessage } from 'node:http'
import { ApiError } from './errors.ts'
import { isShallowText, tooDeep } from './json-depth.ts'

/**
 * The body of a request, which must be JSON and say so: a form of another site cannot, and a script of one would have
 * to ask first. The rest of a body that is too large is left unread, so its connection must be closed after the answer.
 * @param take is told of the bytes as they come, and may refuse more of them by an error
 * @throws ApiError 415 `not-json` or `compressed-body`, 413 `body-too-large`, 400 `bad-json`, `too-deep` or `incomplete-body`; what `take` throws
 */
export async function readJson(
  request: IncomingMessage,
  mostBytes: number,
  take?: (bytes: number) => void,
): Promise<unknown> {
  const {
    'content-type': type = '',
    'content-length': length = '0',
    'content-encoding': coding = 'identity',
  } = request.headers
  if (type.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new ApiError(415, 'not-json', 'Send JSON, with the header `Content-Type: application/json`.')
  }
  if (coding.toLowerCase() !== 'identity')
    throw new ApiError(415, 'compressed-body', 'Send the body as it is, without Content-Encoding.')
  if (Number(length) > mostBytes) throw tooLarge(mostBytes)
  return parseJson(await readBytes(request, mostBytes, take))
}

async function readBytes(request: IncomingMessage, mostBytes: number, take?: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // The request is not destroyed where reading stops early: its connection has to carry the answer yet.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > mostBytes) throw tooLarge(mostBytes)
      take?.(chunk.length)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ApiError || request.complete) throw error
    throw new ApiError(400, 'incomplete-body', 'The connection ended before the body did.', { cause: error })
  }
  return Buffer.concat(chunks)
}

function parseJson(body: Buffer): unknown {
  if (!isShallowText(body)) throw tooDeep()
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch (error) {
    throw new ApiError(400, 'bad-json', 'The body is not JSON.', { cause: error })
  }
}

function tooLarge(mostBytes: number): ApiError {
  return new ApiError(413, 'body-too-large', `A body has at most ${mostBytes} bytes; send several requests.`)
}
