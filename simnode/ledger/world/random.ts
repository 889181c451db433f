/** Hash: FNV-1a; generator: mulberry32. */
export class Random {
  #state: number

  /** @param parts integers of up to 53 bits */
  constructor(...parts: readonly number[]) {
    this.#state = hashOf(parts)
  }

  /** Exclusive; at most 2^32. */
  below(limit: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * limit)
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1)
  }

  /** True with a probability of `share` percent. */
  percent(share: number): boolean {
    return this.below(100) < share
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)]
    if (found === undefined) throw new RangeError('Nothing to pick from')
    return found
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.allocUnsafe(Math.ceil(length / 4) * 4)
    for (let at = 0; at < length; at += 4) bytes.writeUInt32LE(this.#next(), at)
    return bytes.subarray(0, length)
  }

  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

function hashOf(parts: readonly number[]): number {
  let state = 0x811c9dc5
  const add = (word: number): void => {
    for (let shift = 0; shift < 32; shift += 8) state = Math.imul(state ^ ((word >>> shift) & 0xff), 0x01000193)
  }
  for (const part of parts) {
    add(part >>> 0)
    add(Math.floor(part / 0x1_0000_0000) >>> 0)
  }
  return state
}
