import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { readTransactionResponse } from '../../../src/access/wire/read-transactions.ts'
import { bytesField, bytesOf, contentsOf, numberOf } from '../../node/wire.ts'
import { loadRecording } from '../../replay/recording.ts'
import type { RecordedBlock } from '../../replay/recorded-block.ts'
import { collectionMessages, fullBlockMessage, headerMessage, lightBlockMessage } from './block-messages.ts'
import type { BlockParts } from './block-messages.ts'
import type { EventShape } from './cadence-type.ts'
import type { CadenceValue } from './cadence-value.ts'
import { readCcf } from './ccf-reader.test-support.ts'
import { resultMessages } from './result-messages.ts'
import type { ResultParts } from './result-messages.ts'
import { transactionMessages } from './transaction-messages.ts'

const folder = fileURLToPath(new URL('../../../test/recordings/base', import.meta.url))

/** The block's parts, read from its messages. */
function partsOf({ id, parentId, height, header, timestampNs, collections, collectionIds }: RecordedBlock): BlockParts {
  return {
    id,
    parentId,
    height,
    view: numberOf(header, 6),
    timestampNs,
    payloadHash: bytesOf(header, 5),
    chainId: bytesOf(header, 11).toString(),
    collections: collections.map((collection, index) => ({
      id: collectionIds[index] as Buffer,
      transactionIds: contentsOf(collection, 2),
    })),
  }
}

function resultOf(ccf: Buffer): ResultParts {
  return {
    transactionId: bytesOf(ccf, 6),
    collectionId: bytesOf(ccf, 7),
    computation: numberOf(ccf, 10),
    error: numberOf(ccf, 2) === 0 ? undefined : bytesOf(ccf, 3).toString(),
    events: contentsOf(ccf, 4).map((event) => {
      const { type, value } = readCcf(bytesOf(event, 5))
      return { shape: type as EventShape, values: value as CadenceValue[] }
    }),
  }
}

const hexOf = (messages: readonly Buffer[]): string[] => messages.map((message) => message.toString('hex'))

describe('messages of simulated blocks', () => {
  let blocks: readonly RecordedBlock[]

  before(async () => {
    const { versions } = await loadRecording(folder)
    blocks = [...versions.values()].flatMap((version) => version.blocks)
    expect(blocks).to.have.lengthOf(281)
  })

  it('are those of recorded blocks, byte for byte', () => {
    for (const block of blocks) {
      const parts = partsOf(block)
      expect(headerMessage(parts), `header of ${block.height}`).to.deep.equal(block.header)
      expect(lightBlockMessage(parts), `light block ${block.height}`).to.deep.equal(block.light)
      expect(fullBlockMessage(parts), `full block ${block.height}`).to.deep.equal(block.full)
      expect(collectionMessages(parts.collections)).to.deep.equal(block.collections)
    }
  })

  it('are those of recorded transactions, byte for byte', () => {
    for (const { transactions } of blocks) {
      const bodies = transactions.map((message) => readTransactionResponse(bytesField(1, message)))
      expect(transactionMessages(bodies)).to.deep.equal(transactions)
    }
  })

  it('are those of recorded results in both encodings, byte for byte', () => {
    for (const block of blocks) {
      const results = block.results.ccf.map(resultOf)
      for (const encoding of ['ccf', 'json-cdc'] as const) {
        const made = hexOf(resultMessages(block, results, encoding))
        expect(made, `${encoding} at ${block.height}`).to.deep.equal(hexOf(block.results[encoding]))
      }
    }
  })
})
