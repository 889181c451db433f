import { keccak256 } from '../../../src/flow/evm/keccak256.ts'
import { encodeRlp } from './encode-rlp.ts'
import type { RlpItem } from './encode-rlp.ts'

/** What a contract tells. */
export interface LogParts {
  /** 20 bytes. */
  readonly address: Buffer
  /** Up to four, 32 bytes each. */
  readonly topics: readonly Buffer[]
  readonly data: Buffer
}

export interface ReceiptParts {
  /** 255 for a direct call. */
  readonly type: number
  readonly succeeded: boolean
  /** Of the block up to and with it. */
  readonly cumulativeGas: number
  readonly logs: readonly LogParts[]
}

const bloomBytes = 256
/** The type of direct calls, whose receipts are those of type 0. */
const directCallType = 255

/** The bytes that stand for a receipt in the trie of its block. */
export function receiptBytes({ type, succeeded, cumulativeGas, logs }: ReceiptParts): Buffer {
  const prefix = type === 0 || type === directCallType ? [] : [type]
  return encodeRlp([succeeded ? 1 : 0, cumulativeGas, bloomOf(logs), logList(logs)], ...prefix)
}

/** The logs as an event of a transaction carries them: an RLP list, nothing where there are none. */
export function logsBytes(logs: readonly LogParts[]): Buffer {
  return logs.length === 0 ? Buffer.alloc(0) : encodeRlp(logList(logs))
}

function logList(logs: readonly LogParts[]): RlpItem {
  return logs.map(({ address, topics, data }) => [address, topics, data])
}

/** The filter of 2048 bits in which each address and topic sets three. Source: Ethereum yellow paper, 4.3.1. */
function bloomOf(logs: readonly LogParts[]): Buffer {
  const bloom = Buffer.alloc(bloomBytes)
  for (const { address, topics } of logs) {
    for (const told of [address, ...topics]) {
      const hash = keccak256(told)
      for (let i = 0; i < 6; i += 2) {
        const bit = hash.readUInt16BE(i) & 0x7ff
        const at = bloomBytes - 1 - (bit >> 3)
        bloom[at] = (bloom[at] as number) | (1 << (bit & 7))
      }
    }
  }
  return bloom
}
