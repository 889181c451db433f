import { hexOf } from '../bytes.ts'
import { SigningError } from '../signing-error.ts'

/** Mixed case is a checksum (EIP-55). @returns lower case @throws SigningError */
export function evmAddressOf(text: string, field: string): string {
  const digits = /^0x([0-9a-f]{40})$/i.exec(text)?.[1]
  if (digits === undefined) throw new SigningError(field, 'must be 0x and 40 hex digits')
  const isMixed = /[a-f]/.test(digits) && /[A-F]/.test(digits)
  if (isMixed && checksumAddress(text) !== `0x${digits}`)
    throw new SigningError(field, 'has a wrong digit: its letters do not match the checksum (EIP-55)')
  return `0x${digits.toLowerCase()}`
}

/** @param address 0x and 40 hex digits */
export function checksumAddress(address: string): string {
  const digits = address.slice(2).toLowerCase()
  const hash = hexOf(keccak256(new TextEncoder().encode(digits)))
  const written = Array.from(digits, (digit, at) => ((hash[at] ?? '0') >= '8' ? digit.toUpperCase() : digit))
  return `0x${written.join('')}`
}

const word = 64n
const mask = (1n << word) - 1n
const rateBytes = 136
const rounds = 24

/**
 * At most 135 bytes: one block. Not from a library, since browsers load this package without a
 * bundler. Source: FIPS 202, with Keccak's padding.
 */
function keccak256(bytes: Uint8Array): Uint8Array {
  const block = new Uint8Array(rateBytes)
  block.set(bytes)
  block[bytes.length] = 1
  block[rateBytes - 1] = (block[rateBytes - 1] ?? 0) | 0x80
  const view = new DataView(block.buffer)
  const lanes = Array.from({ length: 25 }, (_, at) => (8 * at < rateBytes ? view.getBigUint64(8 * at, true) : 0n))
  permute(lanes)
  const digest = new DataView(new ArrayBuffer(32))
  for (let at = 0; at < 4; at++) digest.setBigUint64(8 * at, lanes[at] ?? 0n, true)
  return new Uint8Array(digest.buffer)
}

function rotate(lane: bigint, by: bigint): bigint {
  return ((lane << by) | (lane >> (word - by))) & mask
}

/** Keccak-f[1600]; lane (x, y) is at x + 5 y. */
function permute(lanes: bigint[]): void {
  const lane = (x: number, y: number): bigint => lanes[(x % 5) + 5 * (y % 5)] ?? 0n
  const indexes = [0, 1, 2, 3, 4]
  let register = 1
  for (let round = 0; round < rounds; round++) {
    const columns = indexes.map((x) => indexes.reduce((sum, y) => sum ^ lane(x, y), 0n))
    const sums = indexes.map((x) => (columns[(x + 4) % 5] ?? 0n) ^ rotate(columns[(x + 1) % 5] ?? 0n, 1n))
    for (let at = 0; at < 25; at++) lanes[at] = (lanes[at] ?? 0n) ^ (sums[at % 5] ?? 0n)
    let [x, y, moved] = [1, 0, lane(1, 0)]
    for (let step = 0; step < 24; step++) {
      ;[x, y] = [y, (2 * x + 3 * y) % 5]
      const next = lane(x, y)
      lanes[x + 5 * y] = rotate(moved, BigInt((((step + 1) * (step + 2)) / 2) % 64))
      moved = next
    }
    for (const row of indexes) {
      const before = indexes.map((column) => lane(column, row))
      for (const column of indexes)
        lanes[column + 5 * row] =
          (before[column] ?? 0n) ^ (~(before[(column + 1) % 5] ?? 0n) & mask & (before[(column + 2) % 5] ?? 0n))
    }
    for (let bit = 0; bit < 7; bit++) {
      if ((register & 1) === 1) lanes[0] = (lanes[0] ?? 0n) ^ (1n << BigInt(2 ** bit - 1))
      register = register & 0x80 ? ((register << 1) ^ 0x171) & 0xff : register << 1
    }
  }
}
