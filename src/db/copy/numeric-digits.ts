/** A decimal number the way PostgreSQL's binary `numeric` holds it. */
export interface NumericDigits {
  /** Digits in base 10,000, the most significant first. The server drops zeros at either end. */
  readonly digits: readonly number[]
  /** The first digit counts 10,000 to this power. */
  readonly weight: number
  readonly negative: boolean
  /** Decimal places to show. */
  readonly scale: number
}

const decimalText = /^([+-]?)(\d+)(?:\.(\d+))?$/

/** Reads decimal text such as `-12.500`; places behind the point are kept. Throws RangeError for any other text. */
export function numericDigits(text: string): NumericDigits {
  const [, sign, whole, fraction = ''] = decimalText.exec(text) ?? []
  if (whole === undefined) throw new RangeError(`not a decimal number: ${text.slice(0, 100)}`)
  const wholeText = whole.padStart(Math.ceil(whole.length / 4) * 4, '0')
  const all = wholeText + fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0')
  const digits: number[] = []
  for (let i = 0; i < all.length; i += 4) digits.push(Number(all.slice(i, i + 4)))
  return { digits, weight: wholeText.length / 4 - 1, negative: sign === '-', scale: fraction.length }
}
