import { expect } from 'chai'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FeedClient } from '../support/feed-client.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { rawDigest, storedHeights, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions, faultlessDigest } from '../support/faultless-digest.ts'
import { requestedHeights } from '../support/watch-node.ts'
import { Stopwatch } from '../support/stopwatch.ts'

const shape = { loop: true, head: 800, cachedBlocks: 801 }

describe('program shutdown', () => {
  let node: ReplayNode
  let database: TestDatabase
  const processes: FlowfarmProcess[] = []

  before(async () => {
    node = await startRecordedNode('base', shape)
  })

  after(() => node.stop())

  beforeEach(async () => {
    database = await createTestDatabase()
  })

  afterEach(async () => {
    for (const farm of processes.splice(0)) await farm.end('SIGKILL')
    await database.drop()
  })

  function start(services: readonly string[], variables: Record<string, string> = {}): FlowfarmProcess {
    const farm = new FlowfarmProcess(services, {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      PORT: '0',
      ...variables,
    })
    processes.push(farm)
    return farm
  }

  async function portOf(farm: FlowfarmProcess): Promise<string> {
    return String((await farm.logged(/API listening/))['port'])
  }

  for (const [direction, variables] of Object.entries(directions)) {
    it(`exits with 0 within 10 s under load, closes sockets with 1001, and resumes at the next start, ${direction}`, async () => {
      const first = start([], { ...variables, LATEST_BATCH_SIZE: '5', HISTORY_BATCH_SIZE: '5' })
      const client = await FeedClient.connect(`127.0.0.1:${await portOf(first)}/ws`)
      const [from, to] = direction === 'forward' ? [0, 200] : [shape.head - 200, shape.head]
      await untilStored(database, from, to)
      const requestedAt = new Stopwatch()
      const closed = client.closed()
      expect(await first.end('SIGTERM'), first.output()).to.equal(0)
      await requestedAt.expectBelow(10_000)
      expect((await closed).code).to.equal(1001)
      expect(first.log.filter((line) => line.level === 'error' || line.level === 'fatal')).to.deep.equal([])
      const stored = await storedHeights(database.pool)
      expect(stored).to.have.length(1)
      expect(stored[0]?.to === shape.head + 1 && stored[0].from === 0, 'it was done before it was stopped').to.equal(
        false,
      )
      const requested = requestedHeights(node)
      const second = start(['ingest'], variables)
      await untilStored(database, 0, shape.head)
      expect(await second.end('SIGTERM')).to.equal(0)
      expect(
        requested.filter((height) => stored.some((range) => range.from <= height && height < range.to)),
      ).to.deep.equal([])
      expect(requested).to.have.length(new Set(requested).size)
      expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', shape))
    })
  }

  it('exits within 10 s while its database is unresponsive', async () => {
    const proxy = await startHalfOpenProxy(database.url)
    try {
      const farm = start([], { DB_URL: proxy.url })
      await untilStored(database, shape.head - 50, shape.head)
      proxy.freeze()
      const requestedAt = new Stopwatch()
      expect(await farm.end('SIGTERM')).to.equal(0)
      await requestedAt.expectBelow(10_000)
    } finally {
      await proxy.close()
    }
  })

  it('exits at once at a second signal', async () => {
    const proxy = await startHalfOpenProxy(database.url)
    try {
      const farm = start([], { DB_URL: proxy.url })
      await untilStored(database, shape.head - 50, shape.head)
      proxy.freeze()
      farm.child.kill('SIGTERM')
      await farm.logged(/Stopping/)
      // Signals within a second count as one.
      const again = setInterval(() => farm.child.kill('SIGTERM'), 100)
      const stoppingAt = performance.now()
      const watch = new Stopwatch()
      expect(await farm.ended()).to.equal(75)
      clearInterval(again)
      expect(performance.now() - stoppingAt).to.be.at.least(800)
      await watch.expectBelow(3000)
    } finally {
      await proxy.close()
    }
  })
})
