import { rlpHash } from './encode-rlp.ts'
import { receiptBytes } from './evm-receipt.ts'
import type { LogParts } from './evm-receipt.ts'
import { listRoot } from './trie-root.ts'

/** A transaction as its block commits to it. */
export interface BlockTransaction {
  readonly type: number
  /** 32 bytes, made when they are needed. */
  hash(): Buffer
  readonly succeeded: boolean
  readonly gasUsed: number
  readonly logs: readonly LogParts[]
}

/** A block of the EVM before it is closed. */
export interface OpenEvmBlock {
  readonly parentHash: Buffer
  readonly height: number
  /** Seconds since 1970. */
  readonly timestamp: number
  /** All FLOW in the EVM after it, in attoflow. */
  readonly totalSupply: bigint
  readonly prevrandao: Buffer
  readonly transactions: readonly BlockTransaction[]
}

/** A closed block: what follows from its content. Hashes and roots have 32 bytes. */
export interface EvmBlock extends OpenEvmBlock {
  readonly hash: Buffer
  readonly totalGasUsed: number
  readonly receiptRoot: Buffer
  readonly transactionHashRoot: Buffer
}

/**
 * Closes a block: computes its roots and its hash.
 * Source: onflow/flow-go `fvm/evm/types/block.go`.
 */
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
