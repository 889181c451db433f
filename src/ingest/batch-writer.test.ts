import { expect } from 'chai'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { RetryableError } from '../platform/errors.ts'
import { listen } from '../platform/db/listen.ts'
import { createPool } from '../platform/db/pool.ts'
import { appendBlock } from './append-block.ts'
import { BadBlockError, RowsExistError } from './errors.ts'
import { BatchWriter } from './batch-writer.ts'
import type { CommittedBatch } from './batch-writer.ts'
import { blockOf, eventOf, storeBlocks } from './blocks.test-support.ts'
import { readRawCoverage } from './checkpoints.ts'
import { ScriptCache, ShapeCache } from './caches.ts'

const tables = ['blocks', 'transactions', 'event_chunks', 'tx_lookup', 'block_lookup']

describe('batch writer', () => {
  let database: TestDatabase
  let lockLost: AbortController
  let committed: CommittedBatch[]

  beforeEach(async () => {
    database = await createTestDatabase()
    lockLost = new AbortController()
    committed = []
    await readRawCoverage(database.pool)
  })

  afterEach(() => database.drop())

  function open(generation = 0): BatchWriter {
    return new BatchWriter({
      pool: database.pool,
      name: 'main_ingester',
      generation,
      lockLost: lockLost.signal,
      scripts: new ScriptCache(),
      shapes: new ShapeCache(),
      onCommitted: (batch) => committed.push(batch),
    })
  }

  it('stores the head of the chain with the commit', async () => {
    await database.pool.query(`insert into app.chain (chain_id) values ('flow-emulator')`)
    const current = { id: Buffer.alloc(32, 9), parentId: Buffer.alloc(32, 8), height: 9, timestampUs: 0 }
    const written: unknown[] = []
    const writer = new BatchWriter({
      pool: database.pool,
      name: 'main_ingester',
      generation: 0,
      heads: { current, written: (head) => written.push(head) },
      lockLost: lockLost.signal,
      scripts: new ScriptCache(),
      shapes: new ShapeCache(),
      onCommitted: (batch) => committed.push(batch),
    })
    await give(writer, 0, 1)
    await writer.drain()
    const { rows } = await database.pool.query('select latest_height::int as height from app.chain')
    expect(rows).to.deep.equal([{ height: 9 }])
    expect(written).to.deep.equal([current])
  })

  it('keeps sessions open while batches wait for earlier commits', async () => {
    const idleInTransactionTimeoutMs = 1500
    const pool = createPool(database.url, { max: 4, idleInTransactionTimeoutMs })
    const writer = new BatchWriter({
      pool,
      name: 'main_ingester',
      generation: 0,
      lockLost: lockLost.signal,
      scripts: new ScriptCache(),
      shapes: new ShapeCache(),
      onCommitted: (batch) => committed.push(batch),
      signOfLifeMs: 50,
    })
    const stall = await database.pool.connect()
    try {
      // The first commit stalls at its checkpoint, as on a stalled disk.
      await stall.query('begin')
      await stall.query("select from app.indexing_checkpoints where service_name = 'main_ingester' for update")
      await give(writer, 0, 3)
      // Two sessions wait in their transactions for twice the idle timeout of the server.
      for (let count = 0; count < 2;) {
        const { rows } = await database.pool.query<{ count: number }>(
          `
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and xact_start < now() - interval '3 s' and wait_event = 'ClientRead' and pid <> $1`,
          [(stall as typeof stall & { readonly processID: number }).processID],
        )
        count = rows[0]?.count ?? 0
      }
      await stall.query('commit')
      await writer.drain()
      expect(await storedHeights()).to.deep.equal([0, 1, 2])
    } finally {
      stall.release()
      await pool.end()
    }
  }).timeout(30_000)

  /** Adds heights `from` to `to` (exclusive), one batch each. */
  async function give(writer: BatchWriter, from: number, to: number): Promise<void> {
    for (let height = from; height < to; height++) {
      const batch = writer.takeBatch()
      appendBlock(batch, blockOf(height, { transactions: [{ result: { events: [eventOf('A.01.C.E', {})] } }] }))
      await writer.store(batch)
    }
  }

  async function errorOf(promise: Promise<unknown>): Promise<unknown> {
    return promise.then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  /** The heights with rows in each table; must be the same in all tables. */
  async function storedHeights(): Promise<number[]> {
    const { rows } = await database.pool.query<{ heights: number[] }>(
      tables
        .map((table) => {
          const column = ['blocks', 'block_lookup'].includes(table) ? 'height' : 'block_height'
          return `select coalesce(array_agg(${column}::int order by ${column}), '{}') as heights from raw.${table}`
        })
        .join(' union all '),
    )
    for (const row of rows) expect(row.heights).to.deep.equal(rows[0]?.heights)
    return rows[0]?.heights ?? []
  }

  async function covered(): Promise<unknown> {
    return (await readRawCoverage(database.pool)).forward.covered
  }

  /** Blocks every commit until the returned function is called. */
  async function holdCommits(): Promise<() => Promise<void>> {
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query('lock table app.indexing_checkpoints in access exclusive mode')
    return async () => {
      await client.query('rollback')
      client.release()
    }
  }

  /** Resolves with the session of the blocked batch. */
  async function untilHeldUp(): Promise<number> {
    for (;;) {
      const { rows } = await database.pool.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'
           and query like '%update app.indexing_checkpoints%'`,
      )
      if (rows[0] !== undefined) return rows[0].pid
      await database.pool.query('select pg_sleep(0.02)')
    }
  }

  it('commits in the given order regardless of duration, and announces each batch', async () => {
    await database.pool.query(`
      create function delay() returns trigger language plpgsql as
      $$ begin perform pg_sleep(random() * 0.02); return new; end $$;
      create trigger delay before insert on raw.block_lookup for each row execute function delay()`)
    const announced: string[] = []
    const done = Promise.withResolvers<void>()
    const stop = new AbortController()
    const listener = await listen(
      database.url,
      ['flowfarm_blocks'],
      (_channel, payload) => {
        announced.push(payload)
        if (announced.length === 40) done.resolve()
      },
      { signal: stop.signal, onReconnect: () => undefined, onError: done.reject },
    )
    const writer = open()
    await give(writer, 0, 40)
    await writer.drain()
    await done.promise
    const order = Array.from({ length: 40 }, (_, i) => i)
    expect(committed.map((batch) => batch.from)).to.deep.equal(order)
    expect(announced).to.deep.equal(order.map((height) => `main_ingester:${height}:${height + 1}`))
    expect(await storedHeights()).to.deep.equal(order)
    stop.abort()
    await listener.ended
  })

  it('counts stored rows, including in the checkpoint', async () => {
    const transactions = [{}, { result: { events: [eventOf('A.01.C.E', Buffer.alloc(0))] } }]
    const blocks = Array.from({ length: 5 }, (_, i) => blockOf(i, { transactions }))
    const [batch] = await storeBlocks(database.pool, blocks)
    expect(batch).to.deep.include({ from: 0, to: 5, blockCount: 5, txCount: 10, eventCount: 5 })
    expect(batch?.undecodedCodes).to.deep.equal(Array(5).fill('payload-unknown-encoding'))
    const { rows } = await database.pool.query(`
      select last_height, block_count, tx_count, event_count
      from app.indexing_checkpoints where service_name = 'main_ingester'`)
    expect(rows).to.deep.equal([{ last_height: '4', block_count: '5', tx_count: '10', event_count: '5' }])
  })

  it('stores neither a failed batch nor the batches after it', async () => {
    await database.pool.query(`insert into raw.block_lookup values (sha256('block/main/5'), 700)`)
    const writer = open()
    const error = await errorOf(give(writer, 0, 20).then(() => writer.drain()))
    expect(error)
      .to.be.instanceOf(BadBlockError)
      .and.deep.include({ code: 'rows-refused', range: { from: 5, to: 6 } })
    expect(await errorOf(writer.drain())).to.equal(error)
    expect(await errorOf(give(writer, 20, 21))).to.equal(error)
    await database.pool.query('delete from raw.block_lookup where height = 700')
    expect(await storedHeights()).to.deep.equal([0, 1, 2, 3, 4])
    expect(await covered()).to.deep.equal([{ from: 0, to: 5 }])
  })

  it('attributes duplicate heights to another ingester and not to the block', async () => {
    await storeBlocks(database.pool, [blockOf(0)])
    await database.pool
      .query(`insert into raw.blocks (height, id, parent_id, "timestamp", collection_count, tx_count, event_count, collection_ids)
      select 5, id, parent_id, "timestamp", 0, 0, 0, '{}' from raw.blocks`)
    const writer = open()
    expect(await errorOf(give(writer, 5, 6).then(() => writer.drain()))).to.be.instanceOf(RowsExistError)
  })

  it('is rejected after a rollback', async () => {
    await database.pool.query('update app.indexing_checkpoints set generation = generation + 1')
    const writer = open(0)
    const error = await errorOf(give(writer, 0, 1).then(() => writer.drain()))
    expect(error).to.be.instanceOf(RetryableError).and.have.property('code', 'checkpoint-moved')
    expect(await storedHeights()).to.deep.equal([])
  })

  it('is rejected if its heights are covered', async () => {
    await database.pool.query(`update app.indexing_checkpoints set covered = '{[3,4)}'`)
    const writer = open()
    const error = await errorOf(give(writer, 0, 6).then(() => writer.drain()))
    expect(error).to.have.property('code', 'checkpoint-moved')
    expect(await storedHeights()).to.deep.equal([0, 1, 2])
  })

  it('commits nothing after the lock is lost, including batches in progress', async () => {
    const release = await holdCommits()
    const writer = open()
    await give(writer, 0, 2)
    const reason = new RetryableError('lost', 'the lock is lost')
    lockLost.abort(reason)
    expect(await errorOf(give(writer, 2, 3))).to.equal(reason)
    await release()
    expect(await errorOf(writer.drain())).to.equal(reason)
    expect(await storedHeights()).to.deep.equal([])
    expect(await covered()).to.deep.equal([])
  })

  it('fails with a retryable error after a lost connection and leaves no session', async () => {
    const release = await holdCommits()
    const writer = open()
    await give(writer, 0, 3)
    await database.pool.query('select pg_terminate_backend($1)', [await untilHeldUp()])
    const error = await errorOf(writer.drain())
    expect(error).to.be.instanceOf(RetryableError).and.have.property('code', 'database-connection-lost')
    await release()
    expect(await storedHeights()).to.deep.equal([])
  })

  it('processes at most three batches and accepts the next when one is stored', async () => {
    const release = await holdCommits()
    const writer = open()
    await give(writer, 0, 3)
    let isGiven = false
    const fourth = give(writer, 3, 4).then(() => (isGiven = true))
    await untilHeldUp()
    expect(isGiven).to.equal(false)
    await release()
    await fourth
    await writer.drain()
    expect(await storedHeights()).to.deep.equal([0, 1, 2, 3])
  })

  it('reuses a batch unless a very large block has grown it', async () => {
    const writer = open()
    const batch = writer.takeBatch()
    appendBlock(batch, blockOf(0))
    await writer.store(batch)
    await writer.drain()
    const again = writer.takeBatch()
    expect(again).to.equal(batch)
    expect(again.isEmpty).to.equal(true)
    appendBlock(again, blockOf(1, { transactions: [{ result: { errorMessage: 'x'.repeat(34_000_000) } }] }))
    await writer.store(again)
    await writer.drain()
    expect(writer.takeBatch()).to.not.equal(again)
    const { rows } = await database.pool.query(
      'select length(error_message) as length from raw.transactions where block_height = 1',
    )
    expect(rows).to.deep.equal([{ length: 34_000_000 }])
  })
})
