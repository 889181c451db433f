import { parseExactJson } from '../../../platform/exact-json.ts'
import type { JsonValue } from '../../../platform/exact-json.ts'
import type { ListedAnswer } from './fetch-api.ts'
import { maxBodyBytes } from './send-request.ts'

export interface PresentedBody {
  readonly body: JsonValue
  readonly truncated: boolean
  readonly note?: string
}

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
      note: `Binary content omitted: ${bytes.length} bytes of ${type.slice(0, 100)}.`,
    }
  const text = decode(bytes, contentType)
  const json = isCut ? undefined : jsonOf(text)
  if (json === undefined) return presentText(text, isCut)
  const isOfChain = isChainPath(url.pathname)
  const { value, cut } = summariseJson(isOfChain ? readChainFields(json, readCadence) : json, isOfChain)
  return {
    body: value,
    truncated: cut !== undefined,
    ...(cut === undefined ? {} : { note: `Shortened: ${cut}. Request less: by page, filter or id.` }),
  }
}

function presentText(text: string, isCut: boolean): PresentedBody {
  if (!isCut && text.length <= maxSummaryCharacters) return { body: text, truncated: false }
  const whole = isCut ? `The body has more than ${maxBodyBytes} bytes` : `The body has ${text.length} characters`
  return {
    body: text.slice(0, maxSummaryCharacters).toWellFormed(),
    truncated: true,
    note: `${whole}; the first ${maxSummaryCharacters} characters are shown. Request less: by page, filter or id.`,
  }
}

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
    if (error instanceof RangeError) return new TextDecoder().decode(bytes)
    throw error
  }
}

function jsonOf(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

export interface Summary {
  readonly value: JsonValue
  readonly cut: string | undefined
}

interface Measure {
  readonly items: number
  readonly names: number
  readonly characters: number
  readonly depth: number
}

/** In characters of JSON: a few per cent of a typical context. */
export const maxSummaryCharacters = 60_000

const wholeCharacters = 16_000

const whole: Measure = { items: Infinity, names: Infinity, characters: Infinity, depth: 40 }

const measures: readonly Measure[] = [
  { items: 20, names: 100, characters: 4000, depth: 8 },
  { items: 10, names: 50, characters: 1000, depth: 6 },
  { items: 5, names: 30, characters: 300, depth: 5 },
  { items: 3, names: 20, characters: 100, depth: 4 },
]

const chainMeasures: readonly Measure[] = [
  { items: 120, names: 100, characters: 20_000, depth: 10 },
  { items: 60, names: 100, characters: 8000, depth: 10 },
  ...measures,
]

export function summariseJson(value: JsonValue, isOfChain = false): Summary {
  const first = summarise(value, whole)
  if (lengthOf(first.value) <= wholeCharacters) return first
  let last = first
  for (const measure of isOfChain ? chainMeasures : measures) {
    last = summarise(value, measure)
    if (lengthOf(last.value) <= maxSummaryCharacters) return last
  }
  const cuts = [...(last.cut === undefined ? [] : [last.cut]), 'JSON truncated']
  return { value: `${firstOf(JSON.stringify(last.value))}…`, cut: cuts.join(', ') }
}

function firstOf(text: string): string {
  let first = text
  while (lengthOf(first) >= maxSummaryCharacters) first = first.slice(0, Math.floor(first.length * 0.9)).toWellFormed()
  return first
}

function lengthOf(value: JsonValue): number {
  return JSON.stringify(value).length
}

function summarise(value: JsonValue, measure: Measure): Summary {
  const cuts = new Set<string>()
  const shown = show(value, measure, 0, cuts)
  return { value: shown, cut: cuts.size === 0 ? undefined : [...cuts].join(', ') }
}

function show(value: JsonValue, measure: Measure, depth: number, cuts: Set<string>): JsonValue {
  if (typeof value === 'string') return shorten(value, measure.characters, cuts)
  if (typeof value !== 'object' || value === null) return value
  const { items, names, depth: maxDepth } = measure
  if (isList(value)) {
    if (depth >= maxDepth && value.length > 0) return tooDeep(`a list of ${count(value.length)}`, measure, cuts)
    const shown: JsonValue[] = value.slice(0, items).map((item) => show(item, measure, depth + 1, cuts))
    if (value.length <= items) return shown
    cuts.add(`lists truncated to ${items} items`)
    return [...shown, `… ${count(value.length - items)} more items`]
  }
  const parts = Object.entries(value)
  if (depth >= maxDepth && parts.length > 0) return tooDeep(`an object of ${count(parts.length)} fields`, measure, cuts)
  const shown = parts
    .slice(0, names)
    .map(([name, item]): [string, JsonValue] => [shorten(name, 200, cuts), show(item, measure, depth + 1, cuts)])
  if (parts.length <= names) return Object.fromEntries(shown)
  cuts.add(`objects truncated to ${names} fields`)
  return Object.fromEntries([...shown, ['…', `${count(parts.length - names)} more fields`]])
}

function tooDeep(what: string, { depth }: Measure, cuts: Set<string>): string {
  cuts.add(`nothing below level ${depth}`)
  return `… ${what}`
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** Replaces lone surrogates, which providers refuse. */
function shorten(text: string, max: number, cuts: Set<string>): string {
  if (text.length <= max) return text.toWellFormed()
  cuts.add(`texts truncated to ${max} characters`)
  return `${text.slice(0, max).toWellFormed()}… (${count(text.length)} characters)`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}

/** @throws for anything but JSON-CDC */
export type ReadCadence = (payload: Buffer) => unknown

/** Source: onflow/flow, openapi/access.yaml. */
const chainPath =
  /^\/v1\/(?:transactions|transaction_results|execution_results|blocks|collections|accounts|events|scripts)(?:\/|$)/

const maxDepth = 12

export function isChainPath(pathname: string): boolean {
  return chainPath.test(pathname)
}

/**
 * Scripts and contracts become text; arguments, event payloads and script results flat values.
 * Undecodable fields stay unchanged.
 */
export function readChainFields(value: JsonValue, readCadence: ReadCadence): JsonValue {
  if (typeof value === 'string') return cadenceOf(value, readCadence)
  return readWithin(value, readCadence, 0)
}

function readWithin(value: JsonValue, readCadence: ReadCadence, depth: number): JsonValue {
  if (typeof value !== 'object' || value === null || depth > maxDepth) return value
  if (isList(value)) return value.map((item) => readWithin(item, readCadence, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, readField(name, item, readCadence, depth + 1)]),
  )
}

function readField(name: string, value: JsonValue, readCadence: ReadCadence, depth: number): JsonValue {
  if (name === 'script') return textOf(value)
  if (name === 'payload' && typeof value === 'string') return cadenceOf(value, readCadence)
  if (name === 'arguments' && isList(value)) return value.map((item) => cadenceOf(item, readCadence))
  if (name === 'contracts' && typeof value === 'object' && value !== null && !isList(value)) {
    return Object.fromEntries(Object.entries(value).map(([contract, code]) => [contract, textOf(code)]))
  }
  return readWithin(value, readCadence, depth)
}

function cadenceOf(value: JsonValue, readCadence: ReadCadence): JsonValue {
  const bytes = bytesOf(value)
  if (bytes === undefined) return value
  try {
    return readCadence(bytes) as JsonValue
  } catch {
    return value
  }
}

function textOf(value: JsonValue): JsonValue {
  const bytes = bytesOf(value)
  if (bytes === undefined) return value
  const text = bytes.toString('utf8')
  return text.includes('\uFFFD') ? value : text
}

function bytesOf(value: JsonValue): Buffer | undefined {
  if (typeof value !== 'string' || value === '' || value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value))
    return undefined
  return Buffer.from(value, 'base64')
}
