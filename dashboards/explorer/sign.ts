/** A pattern that stands for something without a picture; the same for the same text on every machine. */
export interface Sign {
  /** In degrees. */
  readonly hue: number
  /** The cells that are filled, in a square of `signSize`, as [column, row]. */
  readonly cells: readonly (readonly [number, number])[]
}

export const signSize = 5

/** Made from a text alone: its left half is the text's hash, its right half the mirror of that. */
export function signOf(text: string): Sign {
  const random = randomBits(text)
  const hue = random(9) % 360
  const half = Math.ceil(signSize / 2)
  const cells = Array.from({ length: half * signSize }, (_, i) => [i % half, Math.floor(i / half)] as const)
    .filter(() => random(1) === 1)
    .flatMap(([column, row]) => {
      const mirror = signSize - 1 - column
      return mirror === column ? [[column, row] as const] : [[column, row] as const, [mirror, row] as const]
    })
  return { hue, cells }
}

/** Bits that only a text decides: FNV-1a of the text, spread by xorshift. */
function randomBits(text: string): (bits: number) => number {
  let state = 0x811c9dc5
  for (const sign of text) state = Math.imul(state ^ (sign.codePointAt(0) ?? 0), 0x01000193)
  state = state === 0 ? 1 : state
  return (bits) => {
    for (let rounds = 0; rounds < 3; rounds++) {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
    }
    return (state >>> 8) & ((1 << bits) - 1)
  }
}
