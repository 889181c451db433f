import { expect } from 'chai'
import { readEvmTransaction } from '../../../src/flow/evm/evm-transaction.ts'
import type { EvmTransaction } from '../../../src/flow/evm/evm-transaction.ts'
import { decodePayload } from '../../../src/flow/payload.ts'
import type { PayloadFields } from '../../../src/flow/payload-value.ts'
import { readRecordedEvents } from '../../replay/recording.ts'
import { closeEvmBlock } from './evm-block.ts'
import type { BlockTransaction } from './evm-block.ts'

interface RecordedEvmBlock {
  readonly fields: PayloadFields
  readonly transactions: readonly BlockTransaction[]
}

const bytes = (field: unknown): Buffer => Buffer.from(String(field).replace('0x', ''), 'hex')

/** Recorded EVM blocks with their transactions. */
function recordedBlocks(): RecordedEvmBlock[] {
  const blocks: RecordedEvmBlock[] = []
  let transactions: BlockTransaction[] = []
  for (const { type, ccf } of readRecordedEvents('base', 'calls.jsonl.gz')) {
    if (type.endsWith('.EVM.TransactionExecuted')) {
      transactions.push(blockTransaction(readEvmTransaction(decodePayload(type, ccf))))
    } else if (type.endsWith('.EVM.BlockExecuted')) {
      blocks.push({ fields: decodePayload(type, ccf), transactions })
      transactions = []
    }
  }
  return blocks
}

function blockTransaction({ type, hash, status, gasUsed, logs }: EvmTransaction): BlockTransaction {
  return {
    type,
    hash: () => bytes(hash),
    succeeded: status === 1,
    gasUsed: Number(gasUsed),
    logs: logs.map(({ address, topics, data }) => {
      return { address: bytes(address), topics: topics.map(bytes), data: Buffer.from(data) }
    }),
  }
}

describe('simulated EVM blocks', () => {
  it('have the hash, roots and gas that the chain computed for the same content', () => {
    const blocks = recordedBlocks()
    // The first block has the bootstrap transactions, which have no events.
    for (const { fields, transactions } of blocks.slice(1)) {
      const block = closeEvmBlock({
        parentHash: bytes(fields['parentHash']),
        height: Number(fields['height']),
        timestamp: Number(fields['timestamp']),
        totalSupply: BigInt(fields['totalSupply'] as string),
        prevrandao: bytes(fields['prevrandao']),
        transactions,
      })
      expect({
        height: String(block.height),
        hash: `0x${block.hash.toString('hex')}`,
        gas: String(block.totalGasUsed),
        receipts: `0x${block.receiptRoot.toString('hex')}`,
        transactions: `0x${block.transactionHashRoot.toString('hex')}`,
      }).to.deep.equal({
        height: fields['height'],
        hash: fields['hash'],
        gas: fields['totalGasUsed'],
        receipts: fields['receiptRoot'],
        transactions: fields['transactionHashRoot'],
      })
    }
    expect(blocks.filter(({ transactions }) => transactions.length > 1)).to.have.length.above(10)
  })
})
