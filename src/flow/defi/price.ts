import { ufix64Units } from '../tokens/ufix64.ts'

const decimals = 18
const scale = 10n ** BigInt(decimals)

/** How much of one amount there is for 1 of the other, cut at 18 decimals; undefined for 1 of nothing. UFix64 texts. */
export function price(amount: string, of: string): string | undefined {
  const units = ufix64Units(of)
  if (units === 0n) return undefined
  const quotient = (ufix64Units(amount) * scale) / units
  return `${quotient / scale}.${(quotient % scale).toString().padStart(decimals, '0')}`
}
