import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { encodeRlp, rlpHash } from './evm-encoding.ts'
import type { RlpItem } from './evm-encoding.ts'

export interface LogParts {
  /** 20 bytes. */
  readonly address: Buffer
  /** Up to four, 32 bytes each. */
  readonly topics: readonly Buffer[]
  readonly data: Buffer
}

interface ReceiptParts {
  /** 255 for a direct call. */
  readonly type: number
  readonly succeeded: boolean
  readonly cumulativeGas: number
  readonly logs: readonly LogParts[]
}

const bloomBytes = 256
const directCallType = 255

function receiptBytes({ type, succeeded, cumulativeGas, logs }: ReceiptParts): Buffer {
  const prefix = type === 0 || type === directCallType ? [] : [type]
  return encodeRlp([succeeded ? 1 : 0, cumulativeGas, bloomOf(logs), logList(logs)], ...prefix)
}

/** An RLP list, or no bytes. */
export function logsBytes(logs: readonly LogParts[]): Buffer {
  return logs.length === 0 ? Buffer.alloc(0) : encodeRlp(logList(logs))
}

function logList(logs: readonly LogParts[]): RlpItem {
  return logs.map(({ address, topics, data }) => [address, topics, data])
}

/** Each address and topic sets three bits. Source: Ethereum yellow paper, 4.3.1. */
function bloomOf(logs: readonly LogParts[]): Buffer {
  const bloom = Buffer.alloc(bloomBytes)
  for (const { address, topics } of logs) {
    for (const reported of [address, ...topics]) {
      const hash = keccak256(reported)
      for (let i = 0; i < 6; i += 2) {
        const bit = hash.readUInt16BE(i) & 0x7ff
        const at = bloomBytes - 1 - (bit >> 3)
        bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
      }
    }
  }
  return bloom
}

interface Leaf {
  readonly path: readonly number[]
  readonly value: Uint8Array
}

const empty = Buffer.alloc(0)

const paths: Array<readonly number[]> = []

const emptyRoot = rlpHash(empty)

/**
 * Merkle Patricia trie. Source: Ethereum yellow paper, appendix D.
 *
 * @param items empty items are omitted
 */
function listRoot(items: readonly Uint8Array[]): Buffer {
  const leaves: Leaf[] = []
  for (const [index, value] of items.entries()) {
    if (value.length > 0) leaves.push({ path: (paths[index] ??= halves(encodeRlp(index))), value })
  }
  return leaves.length === 0 ? emptyRoot : rlpHash(nodeOf(leaves, 0))
}

/** No path is a prefix of another. */
function nodeOf(leaves: readonly Leaf[], depth: number): RlpItem {
  const [first] = leaves as [Leaf, ...Leaf[]]
  if (leaves.length === 1) return [packed(first.path.slice(depth), true), first.value]
  const common = commonDepth(leaves, depth)
  if (common > depth) return [packed(first.path.slice(depth, common), false), reference(nodeOf(leaves, common))]
  const below: Array<[Leaf, ...Leaf[]] | undefined> = []
  for (const leaf of leaves) {
    const half = leaf.path[depth] as number
    const others = below[half]
    if (others === undefined) below[half] = [leaf]
    else others.push(leaf)
  }
  const branch = Array.from({ length: 16 }, (_, half): RlpItem => {
    const some = below[half]
    return some === undefined ? empty : reference(nodeOf(some, depth + 1))
  })
  branch.push(empty)
  return branch
}

function commonDepth(leaves: readonly Leaf[], depth: number): number {
  const [first] = leaves as [Leaf, ...Leaf[]]
  let common = depth
  while (leaves.every(({ path }) => path[common] === first.path[common])) common++
  return common
}

/** A node in its parent: itself if it is short, else its hash. */
function reference(node: RlpItem): RlpItem {
  const encoded = encodeRlp(node)
  return encoded.length < 32 ? node : keccak256(encoded)
}

/** Nibbles, with a flag for a leaf and for an odd count. */
function packed(path: readonly number[], isLeaf: boolean): Buffer {
  const mark = (isLeaf ? 2 : 0) + (path.length % 2)
  const padded = path.length % 2 === 0 ? [mark, 0, ...path] : [mark, ...path]
  const bytes = Buffer.alloc(padded.length / 2)
  for (let i = 0; i < bytes.length; i++) bytes[i] = ((padded[2 * i] as number) << 4) | (padded[2 * i + 1] as number)
  return bytes
}

function halves(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15])
}

export interface BlockTransaction {
  readonly type: number
  /** 32 bytes, made on demand. */
  hash(): Buffer
  readonly succeeded: boolean
  readonly gasUsed: number
  readonly logs: readonly LogParts[]
}

interface OpenEvmBlock {
  readonly parentHash: Buffer
  readonly height: number
  /** Seconds since 1970. */
  readonly timestamp: number
  /** In attoflow, after the block. */
  readonly totalSupply: bigint
  readonly prevrandao: Buffer
  readonly transactions: readonly BlockTransaction[]
}

/** Hashes and roots have 32 bytes. */
export interface EvmBlock extends OpenEvmBlock {
  readonly hash: Buffer
  readonly totalGasUsed: number
  readonly receiptRoot: Buffer
  readonly transactionHashRoot: Buffer
}

/** Source: onflow/flow-go `fvm/evm/types/block.go`. */
export function closeEvmBlock(block: OpenEvmBlock): EvmBlock {
  let totalGasUsed = 0
  const receipts = block.transactions.map(({ type, succeeded, gasUsed, logs }) => {
    totalGasUsed += gasUsed
    return receiptBytes({ type, succeeded, cumulativeGas: totalGasUsed, logs })
  })
  const receiptRoot = listRoot(receipts)
  const transactionHashRoot = listRoot(block.transactions.map((transaction) => transaction.hash()))
  const { parentHash, height, timestamp, totalSupply, prevrandao } = block
  const hash = rlpHash([
    parentHash,
    height,
    timestamp,
    totalSupply,
    receiptRoot,
    transactionHashRoot,
    totalGasUsed,
    prevrandao,
  ])
  return { ...block, hash, totalGasUsed, receiptRoot, transactionHashRoot }
}
