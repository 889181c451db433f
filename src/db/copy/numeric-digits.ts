/** A decimal number the way PostgreSQL's binary `numeric` holds it. */
export interface NumericDigits {
  /** Digits in base 10,000, the most significant first, without zeros at either end. */
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
  const fractionText = fraction.padEnd(Math.ceil(fraction.length / 4) * 4, '0')
  const all = wholeText + fractionText
  const digits: number[] = []
  let weight = wholeText.length / 4 - 1
  for (let i = 0; i < all.length; i += 4) {
    const digit = Number(all.slice(i, i + 4))
    if (digits.length === 0 && digit === 0) weight--
    else digits.push(digit)
  }
  while (digits.at(-1) === 0) digits.pop()
  const isZero = digits.length === 0
  return { digits, weight: isZero ? 0 : weight, negative: sign === '-' && !isZero, scale: fraction.length }
}
