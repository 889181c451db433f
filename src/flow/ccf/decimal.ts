/**
 * Without strings or BigInt: splits 64-bit integers into a quotient by 10^8, exact in a double, and
 * eight last digits.
 */

const split = 1e8
const zero = 0x30
const point = 0x2e
const pairs = Buffer.from(Array.from({ length: 100 }, (_, pair) => String(pair).padStart(2, '0')).join(''))

/** 20 digits and a point. */
export const maxDecimalBytes = 21

/** @returns the position after the text */
export function putInteger(target: Uint8Array, at: number, high: number, low: number): number {
  if (high === 0 && low < split) return putDigits(target, at, low)
  const quotient = quotientOf(high, low)
  return putEight(target, putQuotient(target, at, quotient), remainderOf(high, low, quotient))
}

/** Fixed-point with 8 decimals. @returns the position after the text */
export function putFixed8(target: Uint8Array, at: number, high: number, low: number): number {
  const quotient = quotientOf(high, low)
  const pointAt = putQuotient(target, at, quotient)
  target[pointAt] = point
  return putEight(target, pointAt + 1, remainderOf(high, low, quotient))
}

/** Below 1.9 * 10^11. */
function quotientOf(high: number, low: number): number {
  // Below 2^53 the rounded quotient of two doubles never reaches the next integer.
  if (high < 0x20_0000) return Math.floor((high * 0x1_0000_0000 + low) / split)
  const first = Math.floor(high / split)
  const second = (high - first * split) * 0x1_0000 + (low >>> 16)
  const secondQuotient = Math.floor(second / split)
  const third = (second - secondQuotient * split) * 0x1_0000 + (low & 0xffff)
  return first * 0x1_0000_0000 + secondQuotient * 0x1_0000 + Math.floor(third / split)
}

/** Remainder modulo 2^32, which holds the true value. */
function remainderOf(high: number, low: number, quotient: number): number {
  if (high < 0x20_0000) return high * 0x1_0000_0000 + low - quotient * split
  return (low - Math.imul(quotient % 0x1_0000_0000, split)) >>> 0
}

function putQuotient(target: Uint8Array, at: number, quotient: number): number {
  if (quotient < split) return putDigits(target, at, quotient)
  const upper = Math.floor(quotient / split)
  return putEight(target, putDigits(target, at, upper), quotient - upper * split)
}

function putDigits(target: Uint8Array, at: number, value: number): number {
  let rest = value | 0
  const end = at + digitsOf(rest)
  let to = end
  while (rest >= 100) {
    const quotient = (rest / 100) | 0
    const pair = (rest - quotient * 100) << 1
    rest = quotient
    target[--to] = pairs[pair + 1] as number
    target[--to] = pairs[pair] as number
  }
  if (rest >= 10) {
    target[--to] = pairs[(rest << 1) + 1] as number
    target[--to] = pairs[rest << 1] as number
  } else {
    target[--to] = zero + rest
  }
  return end
}

function digitsOf(value: number): number {
  if (value < 1e4) {
    if (value < 1e2) return value < 10 ? 1 : 2
    return value < 1e3 ? 3 : 4
  }
  if (value < 1e6) return value < 1e5 ? 5 : 6
  return value < 1e7 ? 7 : 8
}

function putEight(target: Uint8Array, at: number, value: number): number {
  const upper = ((value | 0) / 10_000) | 0
  putFour(target, at, upper)
  putFour(target, at + 4, (value | 0) - upper * 10_000)
  return at + 8
}

function putFour(target: Uint8Array, at: number, value: number): void {
  const upper = (value / 100) | 0
  const lower = value - upper * 100
  target[at] = pairs[upper << 1] as number
  target[at + 1] = pairs[(upper << 1) + 1] as number
  target[at + 2] = pairs[lower << 1] as number
  target[at + 3] = pairs[(lower << 1) + 1] as number
}

/** Several times faster than `String` above 2^30, e.g. for uuids. */
export function formatInteger(high: number, low: number): string {
  if (high >= 0x20_0000) return word(high, low).toString()
  const value = high * 0x1_0000_0000 + low
  if (value < 1_000_000_000) return String(value)
  const upper = Math.floor(value / split)
  return String(upper) + eightDigits(value - upper * split)
}

/** 8 decimals. */
export function formatFixed(high: number, low: number): string {
  if (high >= 0x20_0000) {
    const digits = word(high, low).toString()
    return `${digits.slice(0, -8)}.${digits.slice(-8)}`
  }
  const value = high * 0x1_0000_0000 + low
  const whole = Math.floor(value / split)
  return String(whole) + pointAndEightDigits(value - whole * split)
}

function word(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low)
}

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
