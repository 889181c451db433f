import { setImmediate } from 'node:timers/promises'

/** Best first. */
export const nameMatches = ['exact', 'start', 'word', 'part', 'similar'] as const
export type NameMatch = (typeof nameMatches)[number]

const ranks = { exact: 0, start: 1, word: 2, part: 3, similar: 4 } as const

export interface NamedEntry<Kind extends string> {
  readonly kind: Kind
  readonly id: string
  readonly names: readonly string[]
  /** Higher first among equal matches. */
  readonly weight: number
}

export interface MatchedEntry<Kind extends string> extends NamedEntry<Kind> {
  readonly match: NameMatch
}

interface FoldedName {
  /** Lower-case letters and digits. */
  readonly text: string
  /** Where its words start. */
  readonly starts: readonly number[]
  /** Characters that occur, by the low 5 bits of their code. */
  readonly letters: number
}

interface IndexedEntry<Kind extends string> {
  readonly entry: NamedEntry<Kind>
  readonly id: string
  readonly names: readonly FoldedName[]
}

interface Candidate<Kind extends string> {
  readonly entry: NamedEntry<Kind>
  /** Lower first; at least `ranks.similar` for similar names. */
  readonly rank: number
}

const entriesPerStep = 2000

/** Searches all names by a scan: a chain has some ten thousand, which takes milliseconds. */
export class NameIndex<Kind extends string> {
  readonly #entries: ReadonlyArray<IndexedEntry<Kind>>

  private constructor(entries: ReadonlyArray<IndexedEntry<Kind>>) {
    this.#entries = entries
  }

  /** In steps between which other requests run. */
  static async build<Kind extends string>(entries: ReadonlyArray<NamedEntry<Kind>>): Promise<NameIndex<Kind>> {
    const indexed: IndexedEntry<Kind>[] = []
    for (const [i, entry] of entries.entries()) {
      if (i % entriesPerStep === entriesPerStep - 1) await setImmediate()
      indexed.push({ entry, id: entry.id.toLowerCase(), names: entry.names.map(foldName) })
    }
    return new NameIndex(indexed)
  }

  /** Similar names only if no name starts with the text or has a word that does. */
  search(text: string, maxPerKind: number): ReadonlyArray<MatchedEntry<Kind>> {
    const query = foldQuery(text)
    if (query.text === '') return []
    const found = this.#collect(maxPerKind, (indexed) => exactRank(query, indexed))
    if (query.maxEdits > 0 && [...found.values()].every(([best]) => best?.rank === ranks.part)) {
      for (const [kind, similar] of this.#collect(maxPerKind, (indexed) => similarRank(query, indexed))) {
        const others = found.get(kind) ?? []
        const known = new Set(others.map(({ entry }) => entry))
        found.set(kind, [...others, ...similar.filter(({ entry }) => !known.has(entry))].slice(0, maxPerKind))
      }
    }
    return [...found.values()].flat().map(({ entry, rank }) => ({ ...entry, match: nameMatches[rank] ?? 'similar' }))
  }

  /** Highest weight of each kind. */
  best(): ReadonlyMap<Kind, NamedEntry<Kind>> {
    const best = this.#collect(1, () => 0)
    return new Map([...best].flatMap(([kind, [one]]) => (one === undefined ? [] : [[kind, one.entry] as const])))
  }

  /** @param rankOf infinite if it does not match */
  #collect(maxPerKind: number, rankOf: (indexed: IndexedEntry<Kind>) => number): Map<Kind, Candidate<Kind>[]> {
    const kinds = new Map<Kind, Candidate<Kind>[]>()
    for (const indexed of this.#entries) {
      const rank = rankOf(indexed)
      if (rank === Infinity) continue
      const { entry } = indexed
      const sorted = kinds.get(entry.kind)
      if (sorted === undefined) kinds.set(entry.kind, [{ entry, rank }])
      else insertSorted(sorted, { entry, rank }, maxPerKind)
    }
    return kinds
  }
}

/** `part` also for texts that are not in the name, such as words of a description. */
export function matchOfName(text: string, name: string): NameMatch {
  return nameMatches[rankIn(foldName(name), foldQuery(text).text)] ?? 'part'
}

function insertSorted<Kind extends string>(sorted: Candidate<Kind>[], candidate: Candidate<Kind>, max: number): void {
  let place = sorted.length
  while (place > 0 && isBefore(candidate, sorted[place - 1])) place--
  if (place >= max) return
  sorted.splice(place, 0, candidate)
  if (sorted.length > max) sorted.pop()
}

function isBefore<Kind extends string>(a: Candidate<Kind>, b: Candidate<Kind> | undefined): boolean {
  if (b === undefined || a.rank !== b.rank) return b === undefined || a.rank < b.rank
  return a.entry.weight === b.entry.weight ? a.entry.id < b.entry.id : a.entry.weight > b.entry.weight
}

interface FoldedQuery {
  readonly text: string
  readonly words: readonly string[]
  /** How often each character occurs, by the low 5 bits of its code. */
  readonly counts: readonly number[]
  readonly letters: number
  readonly maxEdits: number
  /** Part of an identifier. */
  readonly id: string | undefined
}

/** Longer names differ before. */
const maxQueryLength = 100

function foldQuery(given: string): FoldedQuery {
  const short = given.slice(0, maxQueryLength)
  const { text, letters } = foldName(short)
  const counts = Array.from({ length: 32 }, () => 0)
  for (let i = 0; i < text.length; i++) counts[text.charCodeAt(i) & 31] = (counts[text.charCodeAt(i) & 31] ?? 0) + 1
  return {
    text,
    words: short
      .split(/[^\p{L}\p{N}]+/u)
      .map((word) => foldName(word).text)
      .filter((word) => word !== ''),
    counts,
    letters,
    maxEdits: text.length < 4 || /^\d+$/.test(text) ? 0 : text.length < 8 ? 1 : 2,
    id: given.includes('.') || /^[0-9a-f]{12,16}$/i.test(given) ? given.toLowerCase() : undefined,
  }
}

function foldName(name: string): FoldedName {
  const { text, starts } = /^[ -~]*$/.test(name) ? foldAscii(name) : foldUnicode(name)
  let letters = 0
  for (let i = 0; i < text.length; i++) letters |= 1 << (text.charCodeAt(i) & 31)
  return { text, starts, letters }
}

const words = /\p{Lu}+(?![\p{Ll}])|\p{Lu}?[\p{Ll}]+|[\p{Lo}\p{Lt}\p{Lm}]+|\p{N}+/gu

/** Words start at capitals, digits and after other characters: `TopShotMarket V3`. */
function foldUnicode(name: string): { text: string; starts: number[] } {
  const starts: number[] = []
  let text = ''
  for (const [word] of name.normalize('NFKD').replaceAll(/\p{M}/gu, '').matchAll(words)) {
    starts.push(text.length)
    text += word.toLowerCase()
  }
  return { text, starts }
}

/** As `foldUnicode`, ten times as fast. */
function foldAscii(name: string): { text: string; starts: number[] } {
  const starts: number[] = []
  let length = 0
  let before = ''
  let isAcronym = false
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    const kind = code >= 97 && code <= 122 ? 'lower' : code >= 65 && code <= 90 ? 'upper' : isDigit(code) ? 'digit' : ''
    const isEnd = kind === 'lower' && isAcronym
    if (isEnd) starts.push(length - 1)
    else if (kind !== '' && kind !== before && !(kind === 'lower' && before === 'upper')) starts.push(length)
    isAcronym = kind === 'upper' && before === 'upper'
    if (kind !== '') length++
    before = kind
  }
  return { text: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, ''), starts }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

function exactRank(query: FoldedQuery, { id, names }: IndexedEntry<string>): number {
  let best = Infinity
  for (const name of names) best = Math.min(best, rankIn(name, query.text))
  if (query.id !== undefined && id.includes(query.id)) {
    const rank = id === query.id ? ranks.exact : id.startsWith(query.id) ? ranks.start : ranks.part
    best = Math.min(best, rank)
  }
  if (best !== Infinity || query.words.length < 2) return best
  return query.words.every((word) => names.some(({ text }) => text.includes(word))) ? ranks.part : Infinity
}

function rankIn({ text, starts }: FoldedName, query: string): number {
  let at = text.indexOf(query)
  if (at < 0) return Infinity
  if (at === 0) return text.length === query.length ? ranks.exact : ranks.start
  if (starts.some((start) => text.startsWith(query, start))) return ranks.word
  // A part lies within one word: `peb` is not in `Type.Blob`.
  for (; at >= 0; at = text.indexOf(query, at + 1)) {
    if (!starts.some((start) => start > at && start < at + query.length)) return ranks.part
  }
  return Infinity
}

/** Words of a name that are compared. */
const maxWords = 6

function similarRank({ text: query, counts, letters, maxEdits }: FoldedQuery, entry: IndexedEntry<string>): number {
  let rank = Infinity
  for (const name of entry.names) {
    // Each character that the name lacks is an edit.
    let missing = 0
    for (let rest = letters & ~name.letters; rest !== 0 && missing <= maxEdits; rest &= rest - 1)
      missing += counts[31 - Math.clz32(rest & -rest)] ?? 0
    if (missing > maxEdits) continue
    for (let i = 0; i < name.starts.length && i < maxWords; i++) {
      const start = name.starts[i] ?? 0
      const edits = editsToStart(query, name.text, start, maxEdits)
      if (edits > maxEdits) continue
      const isWhole = start === 0 && Math.abs(name.text.length - query.length) <= maxEdits
      rank = Math.min(rank, ranks.similar + 2 * edits + (isWhole ? 0 : 1))
    }
  }
  return rank
}

const rowLength = maxQueryLength + 8
/** Rows of the table of distances; the third is that before the last one, for swaps. */
const rows = [new Uint8Array(rowLength), new Uint8Array(rowLength), new Uint8Array(rowLength)] as const

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn `query` into a start of `text` after `start`;
 * `max + 1` if they exceed it. Only cells within `max` of the diagonal are computed.
 */
export function editsToStart(query: string, text: string, start: number, max: number): number {
  const over = max + 1
  const width = Math.min(text.length - start, query.length + max)
  if (width < query.length - max) return over
  let [row, above, before] = rows
  for (let j = 0; j <= width; j++) above[j] = j
  for (let i = 1; i <= query.length; i++) {
    const first = Math.max(1, i - max)
    const last = Math.min(width, i + max)
    const letter = query.charCodeAt(i - 1)
    row[first - 1] = first === 1 && i <= max ? i : over
    let lowest = row[first - 1] ?? over
    for (let j = first; j <= last; j++) {
      const other = text.charCodeAt(start + j - 1)
      let edits = (above[j - 1] ?? over) + (letter === other ? 0 : 1)
      if (j < i + max) edits = Math.min(edits, (above[j] ?? over) + 1)
      edits = Math.min(edits, (row[j - 1] ?? over) + 1)
      const isSwap = i > 1 && j > 1 && letter === text.charCodeAt(start + j - 2) && other === query.charCodeAt(i - 2)
      if (isSwap) edits = Math.min(edits, (before[j - 2] ?? over) + 1)
      row[j] = edits
      if (edits < lowest) lowest = edits
    }
    if (lowest > max) return over
    ;[row, above, before] = [before, row, above]
  }
  let lowest = over
  for (let j = Math.max(0, query.length - max); j <= width; j++) lowest = Math.min(lowest, above[j] ?? over)
  return lowest
}
