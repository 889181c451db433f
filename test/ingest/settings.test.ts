import { expect } from 'chai'
import { listen } from '../../src/platform/db/listen.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions } from '../support/faultless-digest.ts'
import { requestedHeights, nextCall } from '../support/watch-node.ts'

const head = 200

interface Announced {
  readonly ingester: string
  readonly from: number
  readonly to: number
}

describe('ingest settings', () => {
  let database: TestDatabase

  beforeEach(async () => {
    database = await createTestDatabase()
  })

  afterEach(() => database.drop())

  /** Runs until everything from `from` up is stored, and returns the commits in order. */
  async function commits(variables: Record<string, string>, from: number): Promise<Announced[]> {
    const announced: Announced[] = []
    const stop = new AbortController()
    const listener = await listen(
      database.url,
      ['flowfarm_blocks'],
      (_channel, payload) => {
        const [ingester = '', first, end] = payload.split(':')
        announced.push({ ingester, from: Number(first), to: Number(end) })
      },
      { signal: stop.signal, onReconnect: () => undefined },
    )
    await using node = await startRecordedNode('base', { head })
    const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables })
    await untilStored(database, from, head, run)
    await run.stop()
    stop.abort()
    await listener.ended
    return announced
  }

  const sizes = (announced: readonly Announced[]): number[] => announced.map(({ from, to }) => to - from)

  it('LATEST_BATCH_SIZE and HISTORY_BATCH_SIZE: set the maximum commit size, which is reached', async () => {
    expect(
      Math.max(...sizes(await commits({ ...directions.forward, LATEST_BATCH_SIZE: '7', START_BLOCK: '100' }, 100))),
    ).to.equal(7)
    expect(
      Math.max(...sizes(await commits({ ...directions.backward, HISTORY_BATCH_SIZE: '9', START_BLOCK: '100' }, 0))),
    ).to.equal(9)
  })

  for (const [name, variables, order] of [
    ['LATEST_WORKER_COUNT', directions.forward, (height: number) => height],
    ['HISTORY_WORKER_COUNT', directions.backward, (height: number) => head - height],
  ] as const) {
    it(`${name}: limits concurrent blocks`, async () => {
      await using node = await startRecordedNode('base', { head })
      // The block at position 20 is slow, so the window fills up meanwhile.
      const place = 20
      const height = place === order(place) ? place : head - place
      node.inject({ kind: 'latency', ms: 500, methods: ['GetBlockByHeight'], heights: { from: height, to: height } })
      const requested = requestedHeights(node)
      const run = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables, [name]: '6' })
      await nextCall(node, (call) => call.method === 'GetTransactionsByBlockID' && call.height === height)
      expect(Math.max(...requested.map(order))).to.equal(place + 6 - 1)
      await untilStored(database, 0, head, run)
      await run.stop()
    })
  }

  it('without START_BLOCK: starts slightly below the head, then fetches history from there', async () => {
    const announced = await commits({ LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: '30' }, 0)
    const [first] = announced
    expect(first).to.include({ ingester: 'main_ingester', from: head - 30 + 1 })
    const history = announced.filter(({ ingester }) => ingester === 'history_ingester')
    expect(history[0]?.to).to.equal(head - 30 + 1)
    expect(history.at(-1)?.from).to.equal(0)
    expect(sizes(announced).reduce((sum, size) => sum + size, 0)).to.equal(head + 1)
  })

  it('START_BLOCK and HISTORY_STOP_HEIGHT: bound forward and backward ingest', async () => {
    const announced = await commits({ START_BLOCK: '120', HISTORY_STOP_HEIGHT: '50' }, 50)
    expect(await storedHeights(database.pool)).to.deep.equal([{ from: 50, to: head + 1 }])
    for (const { ingester, from, to } of announced) {
      if (ingester === 'main_ingester') expect(from).to.be.at.least(120)
      else expect(to).to.be.at.most(120)
    }
  })

  it('ENABLE_FORWARD_INGESTER and ENABLE_HISTORY_INGESTER: disable each ingester', async () => {
    const only = async (variables: Record<string, string>): Promise<string[]> => [
      ...new Set(
        (await commits({ ...variables, START_BLOCK: '150' }, variables === directions.forward ? 150 : 0)).map(
          (a) => a.ingester,
        ),
      ),
    ]
    expect(await only(directions.forward)).to.deep.equal(['main_ingester'])
    expect(await only(directions.backward)).to.deep.equal(['history_ingester'])
  })

  it('RAW_ONLY: does not affect ingest', async () => {
    await commits({ RAW_ONLY: 'true' }, 0)
    expect(await storedHeights(database.pool)).to.deep.equal([{ from: 0, to: head + 1 }])
  })
})
