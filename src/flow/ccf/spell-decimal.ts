const scale = 100_000_000
const [zero, point] = [0x30, 0x2e]

/**
 * The decimal text of a 64-bit word. `String` of a number beyond 2^30 goes the long way of floating-point numbers, which
 * takes several times as long as this: uuids are such numbers.
 */
export function spellInteger(high: number, low: number): string {
  if (high >= 0x20_0000) return word(high, low).toString()
  const value = high * 0x1_0000_0000 + low
  if (value < 1_000_000_000) return String(value)
  const upper = Math.floor(value / scale)
  return String(upper) + eightDigits(value - upper * scale)
}

/** The text of a 64-bit word as a number with 8 decimals. */
export function spellFixed(high: number, low: number): string {
  if (high >= 0x20_0000) {
    const digits = word(high, low).toString()
    return `${digits.slice(0, -8)}.${digits.slice(-8)}`
  }
  const value = high * 0x1_0000_0000 + low
  const whole = Math.floor(value / scale)
  return String(whole) + pointAndEightDigits(value - whole * scale)
}

function word(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low)
}

/** @param n below 10^8 */
function eightDigits(n: number): string {
  const a = Math.trunc(n / 10_000)
  const b = n - a * 10_000
  return String.fromCharCode(
    zero + Math.trunc(a / 1000),
    zero + (Math.trunc(a / 100) % 10),
    zero + (Math.trunc(a / 10) % 10),
    zero + (a % 10),
    zero + Math.trunc(b / 1000),
    zero + (Math.trunc(b / 100) % 10),
    zero + (Math.trunc(b / 10) % 10),
    zero + (b % 10),
  )
}

function pointAndEightDigits(n: number): string {
  const a = Math.trunc(n / 10_000)
  const b = n - a * 10_000
  return String.fromCharCode(
    point,
    zero + Math.trunc(a / 1000),
    zero + (Math.trunc(a / 100) % 10),
    zero + (Math.trunc(a / 10) % 10),
    zero + (a % 10),
    zero + Math.trunc(b / 1000),
    zero + (Math.trunc(b / 100) % 10),
    zero + (Math.trunc(b / 10) % 10),
    zero + (b % 10),
  )
}
