/** Entries of the table; a power of 2. */
const entries = 1024
/** Longer texts are made anew. */
const longest = 96

/**
 * Short texts of late, each in the one place that its bytes give it: an event of a token standard names the type of its
 * vault, and there are few. Comparing the bytes is cheaper than making a string, and the same text is the same string.
 */
export class ShortTexts {
  readonly #texts: string[] = Array.from({ length: entries }, () => '')

  /** The text of the bytes `start` to `end`; undefined where it is empty, long, or has anything but ASCII without NUL. */
  of(bytes: Buffer, start: number, end: number): string | undefined {
    const length = end - start
    if (length === 0 || length > longest) return undefined
    let mixed = length
    // The ends of type ids differ, and so do the addresses in front.
    for (let at = Math.max(start, end - 12); at < end; at++) mixed = Math.imul(mixed, 31) + (bytes[at] as number)
    mixed = Math.imul(mixed, 31) + (bytes[start + (length >> 2)] as number)
    const place = (Math.imul(mixed, 0x9e37_79b1) >>> 16) & (entries - 1)
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
