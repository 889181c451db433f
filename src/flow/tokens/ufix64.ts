const decimals = 8
const scale = 10n ** BigInt(decimals)

/** Digits, a point, 8 decimals. */
export function isUfix64(text: string): boolean {
  const point = text.length - decimals - 1
  if (point < 1 || text.charCodeAt(point) !== 0x2e) return false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if ((code < 0x30 || code > 0x39) && i !== point) return false
  }
  return true
}

/** Units of 10^-8. Requires a UFix64. */
export function ufix64Units(text: string): bigint {
  const point = text.length - decimals - 1
  return BigInt(text.slice(0, point) + text.slice(point + 1))
}

/** @param units of 10^-8, not negative */
export function ufix64Text(units: bigint): string {
  return `${units / scale}.${(units % scale).toString().padStart(decimals, '0')}`
}

export const ufix64Zero = '0.00000000'
