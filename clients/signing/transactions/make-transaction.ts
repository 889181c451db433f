import { bytesOfHex, hexOf } from '../bytes.ts'
import { SigningError } from '../signing-error.ts'
import { cadence } from './cadence-arguments.ts'
import { evmAddressOf } from './evm-address.ts'
import type { FlowChain } from './transaction-scripts.ts'
import { transactionScript } from './transaction-scripts.ts'

export interface TransactionCode {
  readonly script: string
  /** JSON-CDC. */
  readonly arguments: readonly string[]
}

/** Cadence's numbers; the access API and RLP use others. */
export const keyAlgorithms = {
  signature: { ECDSA_P256: 1, ECDSA_secp256k1: 2 },
  hash: { SHA2_256: 1, SHA3_256: 3 },
} as const

export interface NewKey {
  /** Hex of the point: 128 digits, or 130 with a leading 04. */
  readonly publicKey: string
  readonly signatureAlgorithm?: keyof typeof keyAlgorithms.signature | undefined
  readonly hashAlgorithm?: keyof typeof keyAlgorithms.hash | undefined
  /** 0 to 1000, the default. */
  readonly weight?: number | undefined
}

/** @param startBalance beyond the chain's minimum, in 10^-8 FLOW @throws SigningError */
export function createAccount(
  chain: FlowChain,
  { startBalance = 0n, ...key }: NewKey & { readonly startBalance?: bigint | undefined },
): TransactionCode {
  return {
    script: transactionScript('create-account', chain),
    arguments: [...keyArguments(key), cadence.ufix64(startBalance)],
  }
}

/** @param sent amount in units of 10^-8 FLOW @throws SigningError */
export function sendFlow(
  chain: FlowChain,
  { amount, to }: { readonly amount: bigint; readonly to: string },
): TransactionCode {
  return {
    script: transactionScript('send-flow', chain),
    arguments: [cadence.ufix64(amount), cadence.address(to, 'to')],
  }
}

export function addKey(chain: FlowChain, key: NewKey): TransactionCode {
  return { script: transactionScript('add-key', chain), arguments: keyArguments(key) }
}

export function revokeKey(chain: FlowChain, keyIndex: number): TransactionCode {
  if (!Number.isSafeInteger(keyIndex) || keyIndex < 0)
    throw new SigningError('keyIndex', 'must be a non-negative integer')
  return { script: transactionScript('revoke-key', chain), arguments: [cadence.int(keyIndex)] }
}

export interface ContractSource {
  readonly name: string
  readonly code: string
}

export function addContract(chain: FlowChain, source: ContractSource): TransactionCode {
  return { script: transactionScript('add-contract', chain), arguments: contractArguments(source) }
}

export function updateContract(chain: FlowChain, source: ContractSource): TransactionCode {
  return { script: transactionScript('update-contract', chain), arguments: contractArguments(source) }
}

function contractArguments({ name, code }: ContractSource): string[] {
  return [cadence.string(name), cadence.string(code)]
}

/** A type that the contract declares. */
export interface AssetType {
  /** `A.1654653399040a61.FlowToken.Vault`. */
  readonly type: string
}

/** @param amount in units of 10^-8 @throws SigningError */
export function sendToken(
  chain: FlowChain,
  { amount, to, ...asset }: AssetType & { readonly amount: bigint; readonly to: string },
): TransactionCode {
  return {
    script: transactionScript('send-token', chain),
    arguments: [...assetArguments(asset), cadence.ufix64(amount), cadence.address(to, 'to')],
  }
}

/** @throws SigningError */
export function sendNft(
  chain: FlowChain,
  { id, to, ...asset }: AssetType & { readonly id: bigint; readonly to: string },
): TransactionCode {
  if (id < 0n || id >= 2n ** 64n) throw new SigningError('id', 'must be from 0 to 2^64 - 1')
  return {
    script: transactionScript('send-nft', chain),
    arguments: [...assetArguments(asset), cadence.uint64(id), cadence.address(to, 'to')],
  }
}

/** Stores what the account needs to receive the token. @throws SigningError */
export function enableToken(chain: FlowChain, asset: AssetType): TransactionCode {
  return { script: transactionScript('enable-token', chain), arguments: assetArguments(asset) }
}

/** Stores what the account needs to receive NFTs of the collection. @throws SigningError */
export function enableCollection(chain: FlowChain, asset: AssetType): TransactionCode {
  return { script: transactionScript('enable-collection', chain), arguments: assetArguments(asset) }
}

/** A Cadence-owned account (COA): an EVM account that this account controls. */
export function createEvmAccount(chain: FlowChain): TransactionCode {
  return { script: transactionScript('create-evm-account', chain), arguments: [] }
}

/** @param amount in units of 10^-8 FLOW @throws SigningError */
export function fundEvmAccount(chain: FlowChain, amount: bigint): TransactionCode {
  return { script: transactionScript('fund-evm-account', chain), arguments: [cadence.ufix64(amount)] }
}

/** @param amount in units of 10^-8 FLOW @throws SigningError */
export function withdrawEvmAccount(chain: FlowChain, amount: bigint): TransactionCode {
  return { script: transactionScript('withdraw-evm-account', chain), arguments: [cadence.ufix64(amount)] }
}

/** @param to 0x and 40 hex digits, with a valid checksum if of mixed case @throws SigningError */
export function sendFlowToEvm(
  chain: FlowChain,
  { amount, to }: { readonly amount: bigint; readonly to: string },
): TransactionCode {
  return {
    script: transactionScript('send-flow-to-evm', chain),
    arguments: [cadence.ufix64(amount), cadence.string(evmAddressOf(to, 'to'))],
  }
}

export interface Erc20Payment {
  /** Address of the contract. */
  readonly token: string
  /** Must be the contract's. */
  readonly decimals: number
  /** In the smallest unit. */
  readonly amount: bigint
  readonly to: string
}

/** From the account's EVM account (COA). Addresses as in `sendFlowToEvm`. @throws SigningError */
export function sendErc20(chain: FlowChain, { token, decimals, amount, to }: Erc20Payment): TransactionCode {
  const [contract, recipient] = [evmAddressOf(token, 'token'), evmAddressOf(to, 'to')]
  if (isLostErc20(contract, recipient)) throw new SigningError('to', 'must not be the token contract or address 0')
  if (!Number.isSafeInteger(decimals) || decimals < 0 || decimals > 255)
    throw new SigningError('decimals', 'must be an integer from 0 to 255')
  if (amount < 0n || amount >= 2n ** 256n) throw new SigningError('amount', 'must be from 0 to 2^256 - 1')
  return {
    script: transactionScript('send-erc20', chain),
    arguments: [cadence.string(contract), cadence.uint8(decimals), cadence.uint256(amount), cadence.string(recipient)],
  }
}

/** Such tokens cannot be recovered. @param token lower case, like `to` */
export function isLostErc20(token: string, to: string): boolean {
  return to === token || /^0x0*$/.test(to)
}

const assetType = /^A\.([0-9a-f]{16})\.(\w{1,200})\.\w{1,200}$/

/** The contract that declares the type. */
export function contractOfType(type: string): { readonly address: string; readonly name: string } | undefined {
  const [, digits, name] = assetType.exec(type) ?? []
  return digits === undefined || name === undefined ? undefined : { address: `0x${digits}`, name }
}

function assetArguments({ type }: AssetType): string[] {
  const contract = contractOfType(type)
  if (contract === undefined)
    throw new SigningError('type', 'must be a type such as A.1654653399040a61.FlowToken.Vault')
  return [cadence.string(type), cadence.address(contract.address, 'type'), cadence.string(contract.name)]
}

function keyArguments({
  publicKey,
  signatureAlgorithm = 'ECDSA_P256',
  hashAlgorithm = 'SHA2_256',
  weight = 1000,
}: NewKey): string[] {
  const bytes = bytesOfHex(publicKey, 'publicKey')
  const point = bytes.length === 65 && bytes[0] === 4 ? bytes.subarray(1) : bytes
  if (point.length !== 64) throw new SigningError('publicKey', 'must be a point: 64 bytes, or 65 with a leading 04')
  if (!Number.isSafeInteger(weight) || weight < 0 || weight > 1000)
    throw new SigningError('weight', 'must be an integer from 0 to 1000')
  return [
    cadence.string(hexOf(point)),
    cadence.uint8(keyAlgorithms.signature[signatureAlgorithm]),
    cadence.uint8(keyAlgorithms.hash[hashAlgorithm]),
    cadence.ufix64(BigInt(weight) * 100_000_000n),
  ]
}
