/** An amount as people write it: digits, and up to 18 decimals. */
export const amountForm = /^(0|[1-9]\d{0,38})(\.\d{1,18})?$/

/** Compares two amounts of that form exactly: below zero, zero or above. */
export function compareAmounts(a: string, b: string): number {
  const [left, right] = [scaled(a), scaled(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function scaled(text: string): bigint {
  const [whole = '0', decimals = ''] = text.split('.')
  return BigInt(whole + decimals.slice(0, 18).padEnd(18, '0'))
}
