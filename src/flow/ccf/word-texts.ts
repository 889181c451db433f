/** Entries of one table; a power of 2. */
const entries = 4096

/**
 * The texts of 64-bit words of late, each in the one place that its bits give it. Within a few transactions the same
 * words come again and again: a vault is deposited that was withdrawn before, several events tell the same amount, and a
 * few accounts are in all of them. Looking a word up costs less than spelling it, and the same text is the same string.
 */
export class WordTexts {
  readonly #spell: (high: number, low: number) => string
  readonly #highs = new Uint32Array(entries)
  readonly #lows = new Uint32Array(entries)
  readonly #texts: string[] = Array.from({ length: entries }, () => '')

  /** @param spell gives text that is not empty */
  constructor(spell: (high: number, low: number) => string) {
    this.#spell = spell
  }

  /** @param high the upper 32 bits, `low` the lower */
  of(high: number, low: number): string {
    const mixed = Math.imul(low ^ Math.imul(high, 0x9e37_79b1), 0x85eb_ca6b)
    const at = (mixed >>> 16) & (entries - 1)
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
