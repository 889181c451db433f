import { expect } from 'chai'
import type { DecodedBlock } from '../../src/flow/decoded-block.ts'
import { RangeReader } from '../../src/farm/range-reader/range-reader.ts'
import { decodedBlock } from '../../src/ingest/decoded-block.ts'
import { sourceOf } from '../support/chain-source.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { decodedRecording } from '../support/decoded-recording.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'

/** All values of a block, including lazily decoded ones. */
function plain(block: DecodedBlock): unknown {
  const { height, id, timestampUs, transactions } = block
  return {
    height,
    id: id.toString('hex'),
    timestampUs,
    transactions: transactions.map((t) => ({
      index: t.index,
      id: t.id.toString('hex'),
      isSystem: t.isSystem,
      payer: t.payer,
      proposer: t.proposer,
      authorizers: t.authorizers,
      scriptHash: t.scriptHash.toString('hex'),
      script: t.script,
      statusCode: t.statusCode,
      isEvm: t.isEvm,
      gasUsed: t.gasUsed,
      events: t.events.map((e) => ({ type: e.type, index: e.index, fields: e.fields })),
    })),
  }
}

for (const { name, version, last } of [
  { name: 'base', version: '', last: 279 },
  { name: 'fork', version: 'a', last: undefined },
] as const) {
  describe(`a decoded block of ${name}`, () => {
    let database: TestDatabase
    let node: ReplayNode
    let expected: readonly DecodedBlock[]
    before(async () => {
      database = await createTestDatabase()
      node = await startRecordedNode(name)
      expected = await decodedRecording(name, { version })
      const top = last ?? expected.length - 1
      expected = expected.slice(0, top + 1)
      const running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ENABLE_HISTORY_INGESTER: 'false' })
      await untilStored(database, 0, top, running)
      await running.stop()
    })
    after(async () => {
      await node.stop()
      await database.drop()
    })

    it('is identical from the raw tables and from the access node', async () => {
      const range = await new RangeReader({ pool: database.pool }).read(0, expected.length)
      expect(range.blocks.map((block) => block.height)).to.deep.equal(expected.map((block) => block.height))
      for (const [height, block] of range.blocks.entries())
        expect(plain(block), `${height}`).to.deep.equal(plain(expected[height] as DecodedBlock))
    })

    it('is identical from the blocks fetched by ingest', async () => {
      const source = sourceOf([node])
      try {
        for (const block of expected) {
          const fetched = await source.fetchBlock(block.height, new AbortController().signal)
          expect(plain(decodedBlock(fetched)), `${block.height}`).to.deep.equal(plain(block))
        }
      } finally {
        await source.close()
      }
    })
  })
}
