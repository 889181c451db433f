/** A power of 2. */
const textEntries = 1024
/** Longer texts are not cached. */
const maxLength = 96

/**
 * One slot per hash. Events repeat a few type names, and comparing bytes is cheaper than creating a
 * string.
 */
export class ShortTexts {
  readonly #texts: string[] = Array.from({ length: textEntries }, () => '')

  /** Undefined if empty, long, or with NUL or non-ASCII bytes. */
  of(bytes: Buffer, start: number, end: number): string | undefined {
    const length = end - start
    if (length === 0 || length > maxLength) return undefined
    let mixed = length
    // Type ids differ in their ends and in the addresses.
    for (let at = Math.max(start, end - 12); at < end; at++) mixed = Math.imul(mixed, 31) + (bytes[at] as number)
    mixed = Math.imul(mixed, 31) + (bytes[start + (length >> 2)] as number)
    const place = (Math.imul(mixed, 0x9e37_79b1) >>> 16) & (textEntries - 1)
    const known = this.#texts[place] as string
    if (known.length === length && isSame(known, bytes, start)) return known
    for (let at = start; at < end; at++) {
      const byte = bytes[at] as number
      if (byte === 0 || byte > 0x7f) return undefined
    }
    return (this.#texts[place] = bytes.toString('latin1', start, end))
  }
}

function isSame(text: string, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false
  return true
}

/** A power of 2. */
const wordEntries = 4096

/** One slot per hash: amounts, vaults and accounts repeat within a few transactions. */
export class WordTexts {
  readonly #spell: (high: number, low: number) => string
  readonly #highs = new Uint32Array(wordEntries)
  readonly #lows = new Uint32Array(wordEntries)
  readonly #texts: string[] = Array.from({ length: wordEntries }, () => '')

  /** @param spell returns non-empty text */
  constructor(spell: (high: number, low: number) => string) {
    this.#spell = spell
  }

  of(high: number, low: number): string {
    const mixed = Math.imul(low ^ Math.imul(high, 0x9e37_79b1), 0x85eb_ca6b)
    const at = (mixed >>> 16) & (wordEntries - 1)
    if (this.#lows[at] === low && this.#highs[at] === high) {
      const known = this.#texts[at] as string
      if (known !== '') return known
    }
    const text = this.#spell(high, low)
    this.#highs[at] = high
    this.#lows[at] = low
    this.#texts[at] = text
    return text
  }
}
