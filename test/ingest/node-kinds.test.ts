import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { acquireLock } from '../../src/platform/db/advisory-lock.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { rawDigest, runIngest, storedHeights, untilStored } from '../support/ingest.ts'
import type { RunningIngest } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { directions, faultlessDigest } from '../support/faultless-digest.ts'
import { requestedHeights, nextCall, untilHit } from '../support/watch-node.ts'

const head = 60

describe('ingest from an access node that', () => {
  let database: TestDatabase
  let running: RunningIngest | undefined

  beforeEach(async () => {
    database = await createTestDatabase()
  })

  afterEach(async () => {
    await running?.stop()
    running = undefined
    await database.drop()
  })

  async function rows<Row extends Record<string, unknown>>(query: string): Promise<Row[]> {
    return (await database.pool.query<Row>(query)).rows
  }

  for (const [direction, variables] of Object.entries(directions)) {
    it(`limits calls per second, ${direction}: adapts to its rate`, async () => {
      await using node = await startRecordedNode('base', { head })
      const limit = node.inject({ kind: 'rate-limit', perSecond: 25 })
      running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...variables })
      await untilStored(database, 0, head, running)
      expect(limit.hits).to.be.greaterThan(0)
      // With immediate retries, most requests would be rejected.
      expect(limit.hits).to.be.lessThan(node.callCount() / 3)
      expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', { head }))
    })
  }

  it('starts at a spork root: history ends there', async () => {
    await using node = await startRecordedNode('base', { head, sporkRootHeight: 21 })
    const requested = requestedHeights(node)
    running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.backward })
    await untilStored(database, 21, head, running)
    await running.stop()
    expect(await storedHeights(database.pool)).to.deep.equal([{ from: 21, to: head + 1 }])
    expect(Math.min(...requested)).to.equal(21)
  })

  it('does not report its root: history ends at the first unknown height', async () => {
    await using node = await startRecordedNode('base', { head, sporkRootHeight: 21 })
    node.inject({ kind: 'status', code: 'UNIMPLEMENTED', methods: ['GetNodeVersionInfo'] })
    running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.backward })
    await untilStored(database, 21, head, running)
    await running.stop()
    expect(await storedHeights(database.pool)).to.deep.equal([{ from: 21, to: head + 1 }])
  })

  it('lost results deep in history: stores the gap with its reason', async () => {
    await using node = await startRecordedNode('base', { loop: true, head: 900 })
    const lost = { from: 40, to: 42 }
    node.inject({ kind: 'missing-results', heights: lost })
    running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward, START_BLOCK: '30' })
    await untilStored(database, 30, 60, running)
    const holes = await rows<{ height: number; n: number; reason: string; endpoint: string }>(
      `select block_height::int as height, count(*)::int as n, min(reason) as reason, min(endpoint) as endpoint from raw.unavailable group by 1 order by 1`,
    )
    const counts = await rows<{ height: number; n: number }>(
      `select block_height::int as height, count(*)::int as n from raw.transactions
       where status = 'UNKNOWN' and status_code is null and gas_used is null and event_count = 0 group by 1 order by 1`,
    )
    expect(counts.map((c) => c.height)).to.deep.equal([40, 41, 42])
    expect(holes.map(({ height, n }) => ({ height, n }))).to.deep.equal(counts)
    for (const hole of holes) {
      expect(hole.reason).to.include('could not find execution receipts')
      expect(hole.endpoint).to.equal(node.endpoint)
    }
    expect(await rows(`select 1 from raw.blocks b where height between 40 and 42 and tx_count = 0`)).to.deep.equal([])
    expect(await rows('select 1 from raw.events where block_height between 40 and 42')).to.deep.equal([])
  })

  it('lacks results at its head: waits and records no gap', async () => {
    await using node = await startRecordedNode('base', { head: head - 1 })
    running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward })
    await untilStored(database, 0, head - 1, running)
    const late = node.inject({ kind: 'missing-results', heights: { from: head, to: head } })
    node.advance()
    await untilHit(node, late, 4)
    expect(await storedHeights(database.pool)).to.deep.equal([{ from: 0, to: head }])
    late.remove()
    await untilStored(database, 0, head, running)
    expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', { head }))
  })

  it('sends an undecodable event: stores the event without payload, its bytes once, and the rest unchanged', async () => {
    await using node = await startRecordedNode('base', { head })
    const expected = await faultlessDigest('base', { head })
    const [event] = await eventOf(node)
    node.inject({ kind: 'corrupt-event', ...event })
    running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward })
    await untilStored(database, 0, head, running)
    expect(
      await rows(
        'select block_height::int as height, tx_index as "transactionIndex", event_index as "eventIndex" from raw.events where payload is null',
      ),
    ).to.deep.equal([event])
    const errors = await rows<Record<string, unknown>>(
      `select worker_name, block_height::int as height, encode(raw_data, 'hex') as bytes, occurrences from raw.indexing_errors`,
    )
    expect(errors).to.deep.equal([
      { worker_name: 'main_ingester', height: event.height, bytes: 'ff00ff00', occurrences: 1 },
    ])
    const { values } = await running.metrics.indexingErrors.get()
    expect(values.map((v) => v.value)).to.deep.equal([1])
    const { events: _events, indexing_errors: _errors, ...rest } = await rawDigest(database.pool)
    expect(expected).to.deep.include(rest)
    expect((await rawDigest(database.pool))['events']?.split(' ')[0]).to.equal(expected['events']?.split(' ')[0])
  })

  /** The position of an event with fields. */
  async function eventOf(
    node: ReplayNode,
  ): Promise<[{ height: number; transactionIndex: number; eventIndex: number }]> {
    const other = await createTestDatabase()
    const run = await runIngest(other, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward })
    await untilStored(other, 0, head, run)
    const { rows: found } = await other.pool.query<{ height: number; transactionIndex: number; eventIndex: number }>(
      `select block_height::int as height, tx_index as "transactionIndex", event_index as "eventIndex" from raw.events
       where block_height > 20 and event_index > 1 order by 1, 2, 3 limit 1`,
    )
    await run.stop()
    await other.drop()
    if (found[0] === undefined) throw new Error('no event')
    return [found[0]]
  }

  it('reports a head that it does not serve: follows available blocks and retries with pauses', async () => {
    await using node = await startRecordedNode('base', { head: head - 1 })
    node.inject({
      kind: 'status',
      code: 'UNIMPLEMENTED',
      methods: ['SubscribeBlockHeadersFromLatest', 'SubscribeBlockDigestsFromLatest'],
    })
    node.inject({ kind: 'lying-head', ahead: 25 })
    running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward })
    await untilStored(database, 0, head - 1, running)
    const requested = requestedHeights(node)
    const started = performance.now()
    while (requested.filter((height) => height === head).length < 7) await nextCall(node, () => true)
    expect(performance.now() - started).to.be.greaterThan(300)
    node.advance()
    await untilStored(database, 0, head, running)
    expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', { head }))
  })

  it('repeatedly returns a wrong parent: rolls nothing back and retries with growing pauses', async () => {
    await using node = await startRecordedNode('base', { head })
    const lie = node.inject({ kind: 'wrong-parent', heights: { from: 30, to: 30 }, methods: ['GetBlockByHeight'] })
    const started = performance.now()
    running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward })
    await untilHit(node, lie, 6)
    // Five pauses that double from 50 ms.
    expect(performance.now() - started).to.be.greaterThan(50 + 100 + 200 + 400 + 800)
    expect(await storedHeights(database.pool)).to.deep.equal([{ from: 0, to: 30 }])
    const { values } = await running.metrics.reorgs.get()
    expect(values.map((v) => v.value)).to.deep.equal([0])
  })

  for (const [kind, faults] of [
    ['has no calls for whole blocks', [{ kind: 'no-bulk-calls' }]],
    ['has the service of the first sporks only', [{ kind: 'legacy-only' }]],
  ] as const) {
    it(`${kind}: stores every user transaction and its events as from any other node`, async () => {
      const reference = await createTestDatabase()
      await using plain = await startRecordedNode('base', { head })
      await using node = await startRecordedNode('base', { head, faults })
      const runs = [
        await runIngest(reference, { CHAIN_ACCESS_NODE: plain.endpoint, ...directions.forward }),
        await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.forward }),
      ]
      await Promise.all([untilStored(reference, 0, head, runs[0]), untilStored(database, 0, head, runs[1])])
      for (const run of runs) await run.stop()
      expect(await userRows(database, 'true')).to.deep.equal(await userRows(reference, 'collection_index is not null'))
      await reference.drop()
    })
  }

  /** Data available from every node: blocks by header, user transactions and their events. */
  async function userRows({ pool }: TestDatabase, isUser: string): Promise<unknown> {
    const { rows: found } = await pool.query<Record<string, unknown>>(
      `with users as (select * from raw.transactions where ${isUser})
       select (select count(*) from users)::int as n,
         (select md5(string_agg(md5(row(height, id, parent_id, timestamp, collection_ids)::text), '' order by height)) from raw.blocks) as blocks,
         (select md5(string_agg(md5(row(block_height, tx_index, id, status, status_code, script_hash, arguments, error_message, event_count, signatures)::text), ''
            order by block_height, tx_index)) from users) as transactions,
         (select md5(string_agg(md5(e::text), '' order by block_height, tx_index, event_index)) from raw.events e join users u using (block_height, tx_index)) as events,
         (select count(*) from raw.events e join users u using (block_height, tx_index))::int as event_count`,
    )
    return found[0]
  }

  it('is one of two, the other of which fails: fetches blocks from the good one', async () => {
    for (const fault of [
      { kind: 'status', code: 'UNAVAILABLE' },
      { kind: 'wrong-parent', heights: { from: 30, to: 30 } },
      { kind: 'garbage' },
      { kind: 'status', code: 'INTERNAL', methods: ['GetTransactionResultsByBlockID', 'GetTransactionResultByIndex'] },
    ] as const) {
      const own = await createTestDatabase()
      await using good = await startRecordedNode('base', { head })
      await using bad = await startRecordedNode('base', { head, faults: [fault] })
      const run = await runIngest(own, {
        CHAIN_ACCESS_NODES: `${bad.endpoint},${good.endpoint}`,
        ...directions.forward,
      })
      await untilStored(own, 0, head, run)
      expect(await rawDigest(own.pool), JSON.stringify(fault)).to.deep.equal(await faultlessDigest('base', { head }))
      await run.stop()
      await own.drop()
    }
  })

  it('is one of two, the other of which returns a wrong parent: uses the first even if each retry is late', async () => {
    await using good = await startRecordedNode('base', { head })
    await using bad = await startRecordedNode('base', { head })
    const lie = bad.inject({ kind: 'wrong-parent', heights: { from: 30, to: 30 }, methods: ['GetBlockByHeight'] })
    running = await runIngest(database, {
      CHAIN_ACCESS_NODES: `${bad.endpoint},${good.endpoint}`,
      ...directions.forward,
    })
    const stored = new AbortController()
    const delayTries = async (): Promise<void> => {
      for (let tries = 1; tries <= 3; tries++) {
        await untilHit(bad, lie, tries)
        const lock = await acquireLock(database.url, 'ingest:main_ingester', { retryMs: 1, signal: stored.signal })
        // Longer than the pause of a node after its first fault.
        await delay(300)
        await lock.release()
      }
    }
    void delayTries().catch(() => undefined)
    await untilStored(database, 0, head, running)
    stored.abort()
    expect(await rawDigest(database.pool)).to.deep.equal(await faultlessDigest('base', { head }))
  })

  it('is on one side of a spork root, with another node on the other side: crosses it forward and backward', async () => {
    for (const variables of Object.values(directions)) {
      const own = await createTestDatabase()
      await using older = await startRecordedNode('base', { head: 29 })
      await using newer = await startRecordedNode('base', { head, sporkRootHeight: 30 })
      const run = await runIngest(own, {
        CHAIN_ACCESS_NODES: `${newer.endpoint},${older.endpoint}`,
        CHAIN_HISTORIC_ACCESS_NODES: `${older.endpoint},${newer.endpoint}`,
        ...variables,
      })
      await untilStored(own, 0, head, run)
      expect(await rawDigest(own.pool)).to.deep.equal(await faultlessDigest('base', { head }))
      await run.stop()
      await own.drop()
    }
  })

  it('closes all connections at random during 1,000 blocks', async () => {
    const shape = { loop: true, head: 1000, cachedBlocks: 1001 }
    const expected = await faultlessDigest('base', shape)
    await using node = await startRecordedNode('base', shape)
    let calls = 0
    let next = 50
    let cuts = 0
    node.events.on('call', () => {
      if (++calls < next) return
      next = calls + 40 + ((cuts++ * 7919) % 300)
      node.dropConnections()
    })
    running = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint, ...directions.backward })
    await untilStored(database, 0, 1000, running)
    expect(cuts).to.be.greaterThan(9)
    expect(await rawDigest(database.pool)).to.deep.equal(expected)
  })
})
