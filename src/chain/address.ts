import type { Network } from './network.ts'
import { generatorMatrixRows, parityCheckMatrixColumns } from './address-code.ts'

/** Bytes of a Flow address. */
export const addressLength = 8

/** Mainnet uses the linear code itself; the others shift it by a word of their own, so that they share no address. */
const networkWords: Readonly<Record<Network, bigint>> = {
  mainnet: 0n,
  testnet: 0x6834ba37b3980209n,
  emulator: 0x1cb159857af02018n,
}

/** Of two hex digits for each byte: makes an address text without a call into the runtime. */
const hexPairs = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * The text form of an address, as stored and served: `0x` and 16 lower-case hex digits.
 * @param bytes of any length, as the chain reads them: shorter ones are padded with zeros in front, of longer ones the
 *   last 8 count. Source: onflow/flow-go `model/flow/address.go`, `BytesToAddress`.
 */
export function addressText(bytes: Uint8Array): string {
  return `0x${addressDigits(bytes)}`
}

/** The 16 hex digits of an address without `0x`, the form that the live feeds use. */
export function addressDigits(bytes: Uint8Array): string {
  let text = ''
  for (let i = Math.max(0, bytes.length - addressLength); i < bytes.length; i++)
    text += hexPairs[bytes[i] as number] as string
  return bytes.length >= addressLength ? text : text.padStart(16, '0')
}

/**
 * Reads an address as people write it: with or without `0x`, in any case, leading zeros left out or not.
 * @returns the text form, or undefined where the text is no address
 */
export function parseAddress(text: string): string | undefined {
  const digits = /^(?:0x)?([0-9a-f]{1,16})$/i.exec(text)?.[1]
  return digits === undefined ? undefined : `0x${digits.toLowerCase().padStart(16, '0')}`
}

/** The 8 bytes of an address in text form. */
export function addressBytes(text: string): Buffer {
  // As flowfarm itself writes it: a worker asks for some hundred in each block.
  if (text.length === 2 + 2 * addressLength && text.startsWith('0x')) {
    const bytes = Buffer.from(text.slice(2), 'hex')
    if (bytes.length === addressLength) return bytes
  }
  const parsed = parseAddress(text)
  if (parsed === undefined) throw new RangeError(`not an address: ${text}`)
  return Buffer.from(parsed.slice(2), 'hex')
}

/**
 * Whether an account can have this address on a network: the 64 bits, shifted by the network's word, must be a word of
 * the [64,45,7] linear code. It says nothing of whether the account exists. The zero address is not valid.
 * Source: onflow/flow-go `model/flow/address.go`, `model/flow/chain.go`.
 * @param text an address in text form
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

/**
 * The address of the account number `index` of a network, counted from 1, the service account.
 * @param index 1 to 2^45 - 1
 */
export function addressAtIndex(index: number, network: Network): string {
  let address = networkWords[network]
  let rest = BigInt(index)
  for (let i = 0; rest !== 0n; i++, rest >>= 1n) {
    if ((rest & 1n) === 1n) address ^= generatorMatrixRows[i] as bigint
  }
  return `0x${address.toString(16).padStart(16, '0')}`
}

/** Whether a text form is that of the zero address, which stands for nobody. */
export function isZeroAddress(text: string): boolean {
  return text === '0x0000000000000000'
}
