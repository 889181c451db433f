import type { IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'

/**
 * The body of a request, which must be JSON and say so: a form of another site cannot, and a script of one would have
 * to ask first. The rest of a body that is too large is left unread, so its connection must be closed after the answer.
 * @param take is told of the bytes as they come, and may refuse more of them by an error
 * @throws ApiError 415 `not-json` or `compressed-body`, 413 `body-too-large`, 400 `bad-json`, `too-deep` or
 * `incomplete-body`; what `take` throws
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
    throw new ApiError(415, 'not-json', 'Send JSON, with the header `Content-Type: application/json`.')
  }
  if (coding.toLowerCase() !== 'identity')
    throw new ApiError(415, 'compressed-body', 'Send the body as it is, without Content-Encoding.')
  if (Number(length) > maxBytes) throw tooLarge(maxBytes)
  return parseJson(await readBytes(request, maxBytes, take))
}

async function readBytes(request: IncomingMessage, maxBytes: number, take?: (bytes: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  // The request is not destroyed where reading stops early: its connection has to carry the answer yet.
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw tooLarge(maxBytes)
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

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(413, 'body-too-large', `A body has at most ${maxBytes} bytes; send several requests.`)
}

/**
 * Deeper than anything that a person or a program means: arguments of scripts nest by three for each level of
 * Cadence.
 */
export const maxJsonLevels = 200

/**
 * Whether lists and objects are within each other at most so deep. What reads a value by calling itself, as
 * `JSON.stringify` does, ends with a full stack for one that is deeper than some thousands, which fit into a few
 * kilobytes.
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

/**
 * The same of JSON that was not parsed yet, which takes a second where it is some megabytes of brackets. @param text
 * in UTF-8, which may be no JSON
 */
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

/** Bytes that are looked at one by one: to have the system search costs as much. */
const fewBytes = 32

/** Where the quote is that ends a text; the length of all where there is none. @param from behind its first quote */
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
  return new ApiError(400, 'too-deep', `Lists and objects may be within each other ${maxJsonLevels} deep.`)
}
