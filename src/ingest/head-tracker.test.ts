import { expect } from 'chai'
import { pino } from 'pino'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { FatalError, RetryableError } from '../platform/errors.ts'
import { Metrics } from '../platform/metrics.ts'
import type { HeadMessage } from '../access/messages.ts'
import { HeadTracker } from './head-tracker.ts'

function headOf(height: number): HeadMessage {
  return { id: Buffer.alloc(32, height), parentId: Buffer.alloc(32, height - 1), height, timestampUs: 0 }
}

describe('head tracker', () => {
  let database: TestDatabase
  let stop: AbortController

  beforeEach(async () => {
    database = await createTestDatabase()
    stop = new AbortController()
  })

  afterEach(() => database.drop())

  /** Each call of `heads` yields the next list of results, then waits until the end. */
  function open(...calls: (number | Error)[][]): HeadTracker {
    const left = calls.values()
    return new HeadTracker({
      pool: database.pool,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      signal: stop.signal,
      source: {
        chainId: () => Promise.resolve('flow-emulator'),
        async *heads(signal) {
          for (const head of left.next().value ?? []) {
            if (head instanceof Error) throw head
            yield headOf(head)
          }
          const ended = Promise.withResolvers<void>()
          signal.addEventListener('abort', () => ended.reject(signal.reason))
          await ended.promise
        },
      },
    })
  }

  async function written(): Promise<number | undefined> {
    const { rows } = await database.pool.query<{ latest_height: string | null }>('select latest_height from app.chain')
    return Number(rows[0]?.latest_height ?? Number.NaN)
  }

  async function untilWritten(height: number): Promise<void> {
    while ((await written()) !== height) await database.pool.query('select pg_sleep(0.01)')
  }

  async function errorOf(promise: Promise<unknown>): Promise<unknown> {
    return promise.then(
      () => undefined,
      (error: unknown) => error,
    )
  }

  it('reports each head, including lower ones, and stores the last', async () => {
    const tracker = open([10, 11, 12, 9, 13])
    const heads: number[] = []
    tracker.onHead((head) => heads.push(head.height))
    const running = tracker.run()
    expect((await tracker.first(stop.signal)).height).to.equal(10)
    await untilWritten(13)
    expect(heads).to.deep.equal([10, 11, 12, 9, 13])
    expect(tracker.current?.height).to.equal(13)
    stop.abort()
    await running
  })

  it('restarts after a retryable error and ignores removed listeners', async () => {
    const tracker = open([1, new RetryableError('busy', 'busy')], [2])
    const heads: number[] = []
    const unsubscribe = tracker.onHead((head) => {
      heads.push(head.height)
      unsubscribe()
    })
    const second = Promise.withResolvers<void>()
    tracker.onHead((head) => head.height === 2 && second.resolve())
    const running = tracker.run()
    await second.promise
    expect(heads).to.deep.equal([1])
    stop.abort()
    await running
  })

  it('continues while the database cannot store the head', async () => {
    const tracker = open([1, 2, 3])
    const third = Promise.withResolvers<void>()
    tracker.onHead((head) => head.height === 3 && third.resolve())
    await database.pool.query(`insert into app.chain (chain_id) values ('flow-emulator')`)
    await database.pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
      create trigger refuse before update on app.chain for each row execute function refuse()`)
    const running = tracker.run()
    await third.promise
    await database.pool.query('drop trigger refuse on app.chain')
    await untilWritten(3)
    stop.abort()
    await running
  })

  it('stops waiting for the first head when the caller aborts', async () => {
    const tracker = open([])
    const waiter = new AbortController()
    const waiting = errorOf(tracker.first(waiter.signal))
    const reason = new Error('enough')
    waiter.abort(reason)
    expect(await waiting).to.equal(reason)
    expect(await errorOf(tracker.first(waiter.signal))).to.equal(reason)
  })

  it('rejects a node of another chain and reports none of its heads', async () => {
    await database.pool.query(`insert into app.chain (chain_id) values ('flow-mainnet')`)
    const tracker = open([1])
    const error = await errorOf(tracker.run())
    expect(error).to.be.instanceOf(FatalError).and.have.property('code', 'wrong-chain')
    expect(tracker.current).to.equal(undefined)
  })
})
