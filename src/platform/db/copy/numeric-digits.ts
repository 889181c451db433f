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

const [plus, minus, zero] = [0x2b, 0x2d, 0x30]

/** Reads decimal text such as `-12.500`; places behind the point are kept. Throws RangeError for any other text. */
export function numericDigits(text: string): NumericDigits {
  const first = text.charCodeAt(0)
  const start = first === minus || first === plus ? 1 : 0
  const point = text.indexOf('.')
  const end = point < 0 ? text.length : point
  const scale = point < 0 ? 0 : text.length - point - 1
  if (end <= start || point === text.length - 1) throw notDecimal(text)
  const digits: number[] = []
  let group = 0
  // Groups of four count from the point, to both sides.
  let missing = (end - start) % 4 || 4
  for (let i = start; i < text.length; i++) {
    if (i === point) continue
    const digit = text.charCodeAt(i) - zero
    if (!(digit >= 0 && digit <= 9)) throw notDecimal(text)
    group = group * 10 + digit
    if (--missing > 0) continue
    digits.push(group)
    group = 0
    missing = 4
  }
  if (missing < 4) digits.push(group * 10 ** missing)
  return { digits, weight: Math.ceil((end - start) / 4) - 1, negative: first === minus, scale }
}

function notDecimal(text: string): RangeError {
  return new RangeError(`not a decimal number: ${text.slice(0, 100)}`)
}
