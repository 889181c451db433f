import { expect } from 'chai'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import { rawDigest, runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { faultlessDigest } from '../support/faultless-digest.ts'
import { nextCall } from '../support/watch-node.ts'

const head = 60

describe('the boundary between history and forward ingest', () => {
  it('has no gaps with START_BLOCK in the middle', async () => {
    const database = await createTestDatabase()
    await using node = await startRecordedNode('base', { head })
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '30' })
    try {
      await untilStored(database, 0, head, run)
      expect(await storedHeights(database.pool)).to.deep.equal([{ from: 0, to: head + 1 }])
      expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', { head }))
    } finally {
      await run.stop()
      await database.drop()
    }
  })

  it('stops history if the stored block above has another parent, and nothing is stored below', async () => {
    const database = await createTestDatabase()
    await using first = await startRecordedNode('fork', { version: 'a' })
    const forward = { ENABLE_HISTORY_INGESTER: 'false', START_BLOCK: '16' }
    const before = await runIngest(database, { CHAIN_ACCESS_NODE: first.endpoint, ...forward })
    await untilStored(database, 16, 20, before)
    await before.stop()
    await using other = await startRecordedNode('fork', { version: 'c' })
    const variables = { CHAIN_ACCESS_NODE: other.endpoint, ENABLE_FORWARD_INGESTER: 'false' }
    const again = untilAskedAgain(other, 15)
    const history = await runIngest(database, variables)
    try {
      await again
      expect(await storedHeights(database.pool)).to.deep.equal([{ from: 16, to: 21 }])
    } finally {
      await history.stop()
      await database.drop()
    }
  })
})

/** Resolves at the third request for the block at a height: the earlier responses were rejected. */
async function untilAskedAgain(node: ReplayNode, height: number): Promise<void> {
  for (let i = 0; i < 3; i++)
    await nextCall(node, (call) => call.method === 'GetBlockByHeight' && call.height === height)
}
