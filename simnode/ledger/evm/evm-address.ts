import secp256k1 from 'secp256k1'
import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { rlpHash } from './encode-rlp.ts'

/** Bytes of an EVM address. */
export const evmAddressLength = 20

/** Accounts that Cadence's EVM contract acts with. Source: onflow/flow-go `fvm/evm/types/address.go`. */
export const nativeAccounts = {
  /** FLOW enters and leaves the EVM through it. */
  bridge: reserved('01'),
  /** Deploys Cadence-owned accounts. */
  coaFactory: reserved('02'),
  /** Takes the price of gas, and hands it on to whom a run names. */
  coinbase: reserved('03'),
} as const

const coaPrefix = Buffer.from('000000000000000000000002', 'hex')
/** Spreads uuids over the addresses. Source: onflow/flow-go `fvm/evm/handler/addressAllocator.go`; seen in recordings. */
const coaMultiplier = 0xffeeddccbbaa9977n

/** The address of the Cadence-owned account that the resource of a uuid owns. */
export function coaAddress(uuid: number | bigint): Buffer {
  const address = Buffer.alloc(evmAddressLength)
  coaPrefix.copy(address)
  address.writeBigUInt64BE(BigInt.asUintN(64, BigInt(uuid) * coaMultiplier), coaPrefix.length)
  return address
}

/** The address of who has a private key. */
export function keyAddress(privateKey: Uint8Array): Buffer {
  return keccak256(secp256k1.publicKeyCreate(privateKey, false).subarray(1)).subarray(12)
}

/** The address of the contract that an account creates with the transaction of a nonce. */
export function createdAddress(creator: Uint8Array, nonce: number | bigint): Buffer {
  return rlpHash([creator, nonce]).subarray(12)
}

/** An address as events spell it that name a new contract: `0x` and hex digits, their case a check sum (EIP-55). */
export function checksumAddress(address: Buffer): string {
  const digits = address.toString('hex')
  const hash = keccak256(Buffer.from(digits)).toString('hex')
  let text = '0x'
  for (let i = 0; i < digits.length; i++) {
    const digit = digits[i] as string
    text += Number.parseInt(hash[i] as string, 16) >= 8 ? digit.toUpperCase() : digit
  }
  return text
}

function reserved(kind: string): Buffer {
  return Buffer.from(`0000000000000000000000${kind}0000000000000000`, 'hex')
}
