import type { Network } from '../network.ts'
import type { EvmLog } from './evm-logs.ts'
import { keccak256 } from './keccak256.ts'
import { uintText } from './rlp-fields.ts'

/**
 * 40 hex digits. Like WETH9 they log wrapping as `Deposit` and `Withdrawal` without `Transfer`;
 * other contracts may use these names for other events. Source: onflow/docs, "Stablecoins and
 * wrapped assets"; same address on testnet.
 */
const wrappedFlow: Readonly<Record<Network, ReadonlySet<string>>> = {
  mainnet: new Set(['d3bf53dac106a0290b0483ecbc89d40fcc961f3e']),
  testnet: new Set(['d3bf53dac106a0290b0483ecbc89d40fcc961f3e']),
  emulator: new Set(),
}

export function isWrappedFlow(address: string, network: Network): boolean {
  return wrappedFlow[network].has(address)
}

/** Addresses are 40 hex digits; null is the zero address of mints and burns. */
export interface EvmTokenTransfer {
  readonly logIndex: number
  /** Above 0 only in ERC-1155 batches. */
  readonly batchIndex: number
  readonly token: string
  readonly standard: TokenStandard
  readonly from: string | null
  readonly to: string | null
  /** Decimal; null for ERC-20. */
  readonly tokenId: string | null
  /** In the smallest unit, decimal; 1 for ERC-721. */
  readonly amount: string
}

/** ERC number. */
export type TokenStandard = 20 | 721 | 1155

const topicOf = (signature: string): string => keccak256(Buffer.from(signature)).toString('hex')
const transfer = topicOf('Transfer(address,address,uint256)')
const transferSingle = topicOf('TransferSingle(address,address,address,uint256,uint256)')
const transferBatch = topicOf('TransferBatch(address,address,address,uint256[],uint256[])')
const deposit = topicOf('Deposit(address,uint256)')
const withdrawal = topicOf('Withdrawal(address,uint256)')

const wordBytes = 32
const zeroAddress = '0'.repeat(40)
const addressPadding = '0'.repeat(24)

/**
 * ERC-20 and ERC-721 share a signature; ERC-721 has the item as a topic. Logs that do not match a
 * standard exactly are ignored.
 */
export function evmTokenTransfers(logs: readonly EvmLog[], network: Network): readonly EvmTokenTransfer[] {
  return logs.flatMap((log, logIndex) => readTransfers(log, logIndex, network))
}

type Movement = Omit<EvmTokenTransfer, 'logIndex' | 'batchIndex' | 'token'>

const nothing: readonly EvmTokenTransfer[] = []

function readTransfers(log: EvmLog, logIndex: number, network: Network): readonly EvmTokenTransfer[] {
  const movements = movementsOf(log, network)
  if (movements === undefined) return nothing
  return movements.map((movement, batchIndex) => ({ logIndex, batchIndex, token: log.address, ...movement }))
}

function movementsOf(log: EvmLog, network: Network): readonly Movement[] | undefined {
  switch (log.topics[0]) {
    case transfer:
      return readTransfer(log)
    case transferSingle:
      return readSingle(log)
    case transferBatch:
      return readBatch(log)
    case deposit:
    case withdrawal:
      return isWrappedFlow(log.address, network) ? readWrapping(log) : undefined
    default:
      return undefined
  }
}

function readTransfer({ topics, data }: EvmLog): readonly Movement[] | undefined {
  const [from, to] = [partyOf(topics[1]), partyOf(topics[2])]
  if (from === undefined || to === undefined) return undefined
  const item = topics[3]
  if (item !== undefined) {
    return data.length === 0 ? [{ standard: 721, from, to, tokenId: wordText(item), amount: '1' }] : undefined
  }
  return data.length === wordBytes ? [{ standard: 20, from, to, tokenId: null, amount: uintText(data) }] : undefined
}

function readSingle({ topics, data }: EvmLog): readonly Movement[] | undefined {
  const [from, to] = [partyOf(topics[2]), partyOf(topics[3])]
  if (from === undefined || to === undefined || data.length !== 2 * wordBytes) return undefined
  return [{ standard: 1155, from, to, tokenId: wordAt(data, 0), amount: wordAt(data, wordBytes) }]
}

function readBatch({ topics, data }: EvmLog): readonly Movement[] | undefined {
  const [from, to] = [partyOf(topics[2]), partyOf(topics[3])]
  const [ids, amounts] = [arrayAt(data, 0), arrayAt(data, wordBytes)]
  if (from === undefined || to === undefined || ids === undefined || ids.length !== amounts?.length) return undefined
  return ids.map((tokenId, i) => ({ standard: 1155, from, to, tokenId, amount: amounts[i] ?? '0' }))
}

function readWrapping({ topics, data }: EvmLog): readonly Movement[] | undefined {
  const party = partyOf(topics[1])
  if (party === undefined || topics.length !== 2 || data.length !== wordBytes) return undefined
  const [from, to] = topics[0] === deposit ? [null, party] : [party, null]
  return [{ standard: 20, from, to, tokenId: null, amount: uintText(data) }]
}

/** Null for the zero address; undefined if invalid. */
function partyOf(topic: string | undefined): string | null | undefined {
  if (topic === undefined || !topic.startsWith(addressPadding)) return undefined
  const address = topic.slice(addressPadding.length)
  return address === zeroAddress ? null : address
}

function wordText(digits: string): string {
  return BigInt(`0x${digits}`).toString()
}

function wordAt(data: Uint8Array, offset: number): string {
  return uintText(data.subarray(offset, offset + wordBytes))
}

function arrayAt(data: Uint8Array, offset: number): readonly string[] | undefined {
  if (data.length < offset + wordBytes) return undefined
  const start = Number(wordAt(data, offset))
  const length = Number(wordAt(data, start))
  if (start + wordBytes * (length + 1) > data.length) return undefined
  return Array.from({ length }, (_, i) => wordAt(data, start + wordBytes * (i + 1)))
}
