import { parseExactJson } from '../../../../platform/exact-json.ts'
import type { JsonValue } from '../../../../platform/exact-json.ts'
import { isChainPath, readChainFields } from './chain-fields.ts'
import type { ReadCadence } from './chain-fields.ts'
import type { ListedAnswer } from './fetch-listed.ts'
import { mostBodyBytes } from './send-request.ts'
import { mostSummaryCharacters, summariseJson } from './summarise-json.ts'

/** A body as a model reads it. */
export interface PresentedBody {
  /** JSON as what it is, other texts as text; null where there is none, or none for people. */
  readonly body: JsonValue
  readonly truncated: boolean
  /** What is left out, and how to get it. */
  readonly note?: string
}

/** Numbers that a double might round; looking for each of them takes five times as long as reading. */
const longNumber = /[\d.]{16}/

export function presentBody(
  { url, contentType, bytes, isCut }: Pick<ListedAnswer, 'url' | 'contentType' | 'bytes' | 'isCut'>,
  readCadence: ReadCadence,
): PresentedBody {
  if (bytes.length === 0) return { body: null, truncated: false }
  const [type = ''] = contentType.split(';')
  if (!isReadable(type))
    return {
      body: null,
      truncated: true,
      note: `${bytes.length} bytes of ${type.slice(0, 100)} are not shown: no text.`,
    }
  const text = decode(bytes, contentType)
  const json = isCut ? undefined : jsonOf(text)
  if (json === undefined) return presentText(text, isCut)
  const isOfChain = isChainPath(url.pathname)
  const { value, cut } = summariseJson(isOfChain ? readChainFields(json, readCadence) : json, isOfChain)
  return {
    body: value,
    truncated: cut !== undefined,
    ...(cut === undefined ? {} : { note: `Shortened: ${cut}. Ask for less: by page, filter or id.` }),
  }
}

function presentText(text: string, isCut: boolean): PresentedBody {
  if (!isCut && text.length <= mostSummaryCharacters) return { body: text, truncated: false }
  const whole = isCut
    ? `It has more than ${mostBodyBytes} bytes, of which no more were read`
    : `It has ${text.length} characters`
  return {
    body: text.slice(0, mostSummaryCharacters).toWellFormed(),
    truncated: true,
    note: `${whole}; its first ${mostSummaryCharacters} characters are here. Ask for less: by page, filter or id.`,
  }
}

/** Without a type it may be a text. */
function isReadable(type: string): boolean {
  return (
    type === '' ||
    /^text\/|[/+](?:json|xml|yaml|csv|javascript|x-ndjson|graphql-response\+json|x-www-form-urlencoded)$/.test(type)
  )
}

function decode(bytes: Buffer, contentType: string): string {
  const charset = /;charset="?([\w.:-]{1,40})/.exec(contentType)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch (error) {
    // A name that nobody knows.
    if (error instanceof RangeError) return new TextDecoder().decode(bytes)
    throw error
  }
}

/** Undefined for what is no JSON, whatever its type says, or is nested so deep that it is no data. */
function jsonOf(text: string): JsonValue | undefined {
  try {
    return longNumber.test(text) ? parseExactJson(text) : (JSON.parse(text) as JsonValue)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined
    throw error
  }
}
