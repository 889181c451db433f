import type { Network } from './network.ts'

const addressLength = 8

/** XORed with the code words, so that networks share no address. */
const networkWords: Readonly<Record<Network, bigint>> = {
  mainnet: 0n,
  testnet: 0x6834ba37b3980209n,
  emulator: 0x1cb159857af02018n,
}

/** Hex digits by byte: avoids a call into the runtime. */
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Canonical text of an address: `0x` and 16 lower-case hex digits.
 *
 * @param bytes zero-padded on the left if shorter than 8, otherwise the last 8 count. Source:
 * onflow/flow-go `model/flow/address.go`, `BytesToAddress`.
 */
export function addressText(bytes: Uint8Array): string {
  return `0x${addressDigits(bytes)}`
}

/** 16 hex digits without `0x`, as in the live feeds. */
export function addressDigits(bytes: Uint8Array): string {
  let text = ''
  for (let i = Math.max(0, bytes.length - addressLength); i < bytes.length; i++)
    text += hexPairs[bytes[i] as number] as string
  return bytes.length >= addressLength ? text : text.padStart(16, '0')
}

/** @returns the canonical text, or undefined */
export function parseAddress(text: string): string | undefined {
  const digits = /^(?:0x)?([0-9a-f]{1,16})$/i.exec(text)?.[1]
  return digits === undefined ? undefined : `0x${digits.toLowerCase().padStart(16, '0')}`
}

export function addressBytes(text: string): Buffer {
  // Fast path, used some hundred times per block.
  if (text.length === 2 + 2 * addressLength && text.startsWith('0x')) {
    const bytes = Buffer.from(text.slice(2), 'hex')
    if (bytes.length === addressLength) return bytes
  }
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new RangeError(`not an address: ${text}`)
  return Buffer.from(parsed.slice(2), 'hex')
}

/**
 * The 64 bits, XORed with the network's word, are a word of the [64,45,7] linear code. The account
 * need not exist. Source: onflow/flow-go `model/flow/address.go`, `model/flow/chain.go`.
 *
 * @param text canonical
 */
export function isValidAddress(text: string, network: Network): boolean {
  const parsed = parseAddress(text)
  if (parsed === undefined) return false
  const word = BigInt(parsed) ^ networkWords[network]
  let parity = 0
  for (let i = 0, rest = word; rest !== 0n; i++, rest >>= 1n) {
    if ((rest & 1n) === 1n) parity ^= parityCheckMatrixColumns[i] as number
  }
  return word !== 0n && parity === 0
}

/** 1 is the service account. @param index 1 to 2^45 - 1 */
export function addressAtIndex(index: number, network: Network): string {
  let address = networkWords[network]
  let rest = BigInt(index)
  for (let i = 0; rest !== 0n; i++, rest >>= 1n) {
    if ((rest & 1n) === 1n) address ^= generatorMatrixRows[i] as bigint
  }
  return `0x${address.toString(16).padStart(16, '0')}`
}

/** The zero address stands for no account. */
export function isZeroAddress(text: string): boolean {
  return text === '0x0000000000000000'
}

/** [64,45,7] linear code of Flow addresses. Source: onflow/flow-go `model/flow/address.go`. */

/** Row i is the code word of account index 2^i. */
const generatorMatrixRows: readonly bigint[] = [
  0xe467b9dd11fa00dfn,
  0xf233dcee88fe0aben,
  0xf919ee77447b7497n,
  0xfc8cf73ba23a260dn,
  0xfe467b9dd11ee2a1n,
  0xff233dcee888d807n,
  0xff919ee774476ce6n,
  0x7fc8cf73ba231d10n,
  0x3fe467b9dd11b183n,
  0x1ff233dcee8f96d6n,
  0x8ff919ee774757ban,
  0x47fc8cf73ba2b331n,
  0x23fe467b9dd27f6cn,
  0x11ff233dceee8e82n,
  0x88ff919ee775dd8fn,
  0x447fc8cf73b905e4n,
  0xa23fe467b9de0d83n,
  0xd11ff233dce8d5a7n,
  0xe88ff919ee73c38an,
  0x7447fc8cf73f171fn,
  0xba23fe467b9dcb2bn,
  0xdd11ff233dcb0cb4n,
  0xee88ff919ee26c5dn,
  0x77447fc8cf775dd3n,
  0x3ba23fe467b9b5a1n,
  0x9dd11ff233d9117an,
  0xcee88ff919efa640n,
  0xe77447fc8cf3e297n,
  0x73ba23fe467fabd2n,
  0xb9dd11ff233fb16cn,
  0xdcee88ff919adde7n,
  0xee77447fc8ceb196n,
  0xf73ba23fe4621cd0n,
  0x7b9dd11ff2379ac3n,
  0x3dcee88ff91df46cn,
  0x9ee77447fc88e702n,
  0xcf73ba23fe4131b6n,
  0x67b9dd11ff240f9an,
  0x33dcee88ff90f9e0n,
  0x19ee77447fcff4e3n,
  0x8cf73ba23fe64091n,
  0x467b9dd11ff115c7n,
  0x233dcee88ffdb735n,
  0x919ee77447fe2309n,
  0xc8cf73ba23fdc736n,
]

/** Column i is the contribution of bit i to the parity, 0 for a code word. */
const parityCheckMatrixColumns: readonly number[] = [
  0x00001, 0x00002, 0x00004, 0x00008, 0x00010, 0x00020, 0x00040, 0x00080, 0x00100, 0x00200, 0x00400, 0x00800, 0x01000,
  0x02000, 0x04000, 0x08000, 0x10000, 0x20000, 0x40000, 0x7328d, 0x6689a, 0x6112f, 0x6084b, 0x433fd, 0x42aab, 0x41951,
  0x233ce, 0x22a81, 0x21948, 0x1ef60, 0x1deca, 0x1c639, 0x1bdd8, 0x1a535, 0x194ac, 0x18c46, 0x1632b, 0x1529b, 0x14a43,
  0x13184, 0x12942, 0x118c1, 0x0f812, 0x0e027, 0x0d00e, 0x0c83c, 0x0b01d, 0x0a831, 0x0982b, 0x07034, 0x0682a, 0x05819,
  0x03807, 0x007d2, 0x00727, 0x0068e, 0x0067c, 0x0059d, 0x004eb, 0x003b4, 0x0036a, 0x002d9, 0x001c7, 0x0003f,
]
