import type { JsonValue } from '../../../../platform/exact-json.ts'

export interface Summary {
  readonly value: JsonValue
  /** What is left out, in words; undefined: nothing is. */
  readonly cut: string | undefined
}

/** How much of a value is shown. */
interface Measure {
  readonly items: number
  readonly names: number
  readonly characters: number
  readonly depth: number
}

/** Most of a summary, in characters of JSON: a few per cent of what models can read. */
export const mostSummaryCharacters = 60_000

/** What is this short is shown whole. */
const wholeCharacters = 16_000

/** Deeper values are no data, and what calls itself to read them ends with a full stack. */
const whole: Measure = { items: Infinity, names: Infinity, characters: Infinity, depth: 40 }

/** From the largest: the first that makes a summary short enough is taken. */
const measures: readonly Measure[] = [
  { items: 20, names: 100, characters: 4000, depth: 8 },
  { items: 10, names: 50, characters: 1000, depth: 6 },
  { items: 5, names: 30, characters: 300, depth: 5 },
  { items: 3, names: 20, characters: 100, depth: 4 },
]

/** For answers of the chain: a transaction has a script and more events than a list of a page has entries. */
const chainMeasures: readonly Measure[] = [
  { items: 120, names: 100, characters: 20_000, depth: 10 },
  { items: 60, names: 100, characters: 8000, depth: 10 },
  ...measures,
]

/** As much of a value as a model can read, of each part of it something; what is left out is told in its place. */
export function summariseJson(value: JsonValue, isOfChain = false): Summary {
  const first = summarise(value, whole)
  if (lengthOf(first.value) <= wholeCharacters) return first
  let last = first
  for (const measure of isOfChain ? chainMeasures : measures) {
    last = summarise(value, measure)
    if (lengthOf(last.value) <= mostSummaryCharacters) return last
  }
  const cuts = [...(last.cut === undefined ? [] : [last.cut]), 'its JSON has its first characters']
  return { value: `${firstOf(JSON.stringify(last.value))}…`, cut: cuts.join(', ') }
}

/** As much of a text as is short enough as JSON, where quotes are two characters. */
function firstOf(text: string): string {
  let first = text
  while (lengthOf(first) >= mostSummaryCharacters) first = first.slice(0, Math.floor(first.length * 0.9)).toWellFormed()
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
  const { items, names, depth: mostDepth } = measure
  if (isList(value)) {
    if (depth >= mostDepth && value.length > 0) return tooDeep(`a list of ${count(value.length)}`, measure, cuts)
    const shown: JsonValue[] = value.slice(0, items).map((item) => show(item, measure, depth + 1, cuts))
    if (value.length <= items) return shown
    cuts.add(`lists have their first ${items} items`)
    return [...shown, `… ${count(value.length - items)} more items`]
  }
  const parts = Object.entries(value)
  if (depth >= mostDepth && parts.length > 0)
    return tooDeep(`an object of ${count(parts.length)} fields`, measure, cuts)
  const shown = parts
    .slice(0, names)
    .map(([name, item]): [string, JsonValue] => [shorten(name, 200, cuts), show(item, measure, depth + 1, cuts)])
  if (parts.length <= names) return Object.fromEntries(shown)
  cuts.add(`objects have their first ${names} fields`)
  return Object.fromEntries([...shown, ['…', `${count(parts.length - names)} more fields`]])
}

function tooDeep(what: string, { depth }: Measure, cuts: Set<string>): string {
  cuts.add(`nothing below level ${depth}`)
  return `… ${what}`
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

/** Halves of surrogate pairs, which providers refuse, are replaced. */
function shorten(text: string, most: number, cuts: Set<string>): string {
  if (text.length <= most) return text.toWellFormed()
  cuts.add(`texts have their first ${most} characters`)
  return `${text.slice(0, most).toWellFormed()}… (${count(text.length)} characters)`
}

function count(number: number): string {
  return number.toLocaleString('en-US')
}
