import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'

/**
 * The Content-Type is required, so that forms of other sites cannot send a body (CSRF). After a
 * refused body the connection must be closed. `take` receives the size of each chunk and may throw.
 *
 * @throws ApiError 415 `not-json` or `compressed-body`, 413 `body-too-large`, 400 `bad-json`,
 *   `too-deep` or `incomplete-body`; errors of `take`
 */
export async function readJson(
  request: IncomingMessage,
  maxBytes: number,
  take?: (bytes: number) => void,
): Promise<unknown> {
  const {
    'content-type': type = '',
    'content-length': length = '0',
    'content-encoding': coding = 'identity',
  } = request.headers
  if (type.split(';', 1)[0]?.trim().toLowerCase() !== 'application/json') {
    throw new ApiError(415, 'not-json', 'Send JSON with `Content-Type: application/json`.')
  }
  if (coding.toLowerCase() !== 'identity')
    throw new ApiError(415, 'compressed-body', 'Send the body without Content-Encoding.')
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  return parseJson(await readBytes(request, maxBytes, take))
}

async function readBytes(request: IncomingMessage, maxBytes: number, take?: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Not destroyed when reading stops early: the connection must carry the response.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      take?.(chunk.length)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ApiError || request.complete) throw error
    throw new ApiError(400, 'incomplete-body', 'The connection was closed within the body.', { cause: error })
  }
  return Buffer.concat(chunks)
}

function parseJson(body: Buffer): unknown {
  if (!isShallowText(body)) throw tooDeep()
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
  } catch (error) {
    throw new ApiError(400, 'bad-json', 'The body is not valid JSON.', { cause: error })
  }
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(413, 'body-too-large', `The body is larger than ${maxBytes} bytes. Send several requests.`)
}

/** Cadence values need three levels of JSON each. */
export const maxJsonLevels = 200

/**
 * Recursive code such as `JSON.stringify` overflows the stack at some thousands of levels, which
 * fit into a few kilobytes.
 */
export function isShallow(value: unknown, maxLevels = maxJsonLevels): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth <= maxLevels; depth++) {
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? (Object.values(item) as unknown[]) : [],
    )
    if (level.length === 0) return true
  }
  return false
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** For UTF-8 text before parsing: parsing megabytes of brackets takes a second. */
export function isShallowText(text: Uint8Array, maxLevels = maxJsonLevels): boolean {
  let level = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === quote) i = endOfText(text, i + 1)
    else if (byte === openList || byte === openObject) {
      level++
      if (level > maxLevels) return false
    } else if (byte === closeList || byte === closeObject) level--
  }
  return true
}

/** Up to this size a loop is as fast as a native search. */
const fewBytes = 32

/** The length of the text without a closing quote. @param from after the opening quote */
function endOfText(text: Uint8Array, from: number): number {
  let at = from
  for (const few = Math.min(from + fewBytes, text.length); at < few; at++) {
    if (text[at] === quote) return at
    if (text[at] === backslash) at++
  }
  for (let end = text.indexOf(quote, at); end >= 0; end = text.indexOf(quote, end + 1)) {
    let first = end
    while (first > at && text[first - 1] === backslash) first--
    if ((end - first) % 2 === 0) return end
  }
  return text.length
}

export function tooDeep(): ApiError {
  return new ApiError(400, 'too-deep', `Arrays and objects are nested more than ${maxJsonLevels} deep.`)
}
