import { once } from 'node:events'
import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { startHalfOpenProxy } from '../../../test/support/half-open-proxy.ts'
import { RetryableError } from '../errors.ts'
import { acquireLock, type LockHolder } from './advisory-lock.ts'

describe('acquireLock', () => {
  let db: TestDatabase
  before(async () => {
    db = await createTestDatabase()
  })
  after(() => db.drop())

  it('grants a lock to one holder at a time, reports the holder, and passes it on', async () => {
    const first = await acquireLock(db.url, 'turn', { applicationName: 'holder one' })
    const waiting = Promise.withResolvers<LockHolder>()
    const order: string[] = []
    const second = acquireLock(db.pool, 'turn', { retryMs: 5, onWaiting: waiting.resolve }).then((lock) => {
      order.push('second has it')
      return lock
    })
    const holder = await waiting.promise
    expect(holder.applicationName).to.equal('holder one')
    expect(new Date(holder.since).getTime()).to.be.greaterThan(0)
    order.push('first gives it back')
    await first.release()
    await (await second).release()
    expect(order).to.deep.equal(['first gives it back', 'second has it'])
  })

  it('separates locks of different names', async () => {
    const locks = await Promise.all(['a', 'b', 'c'].map((key) => acquireLock(db.url, key)))
    await Promise.all(locks.map((lock) => lock.release()))
  })

  it('notifies its holder of a lost connection, and is granted to another', async () => {
    const lock = await acquireLock(db.url, 'lost', { applicationName: 'to be cut' })
    const lost = once(lock.lost, 'abort')
    await db.pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'to be cut'")
    await lost
    expect(lock.lost.reason).to.be.instanceOf(RetryableError)
    const next = await acquireLock(db.url, 'lost', { retryMs: 5 })
    await next.release()
    await lock.release()
  })

  it('detects a half-open connection', async () => {
    const proxy = await startHalfOpenProxy(db.url)
    const lock = await acquireLock(proxy.url, 'half open', { heartbeatMs: 20, answerTimeoutMs: 50 })
    expect(lock.lost.aborted).to.equal(false)
    const lost = once(lock.lost, 'abort')
    proxy.freeze()
    await lost
    expect((lock.lost.reason as RetryableError).code).to.equal('database-connection-lost')
    await lock.release()
    await proxy.close()
  })

  it('is taken from a suspended process', async () => {
    const lock = await acquireLock(db.url, 'still', { heartbeatMs: 100, answerTimeoutMs: 100 })
    const lost = once(lock.lost, 'abort')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
    await lost
    const next = await acquireLock(db.url, 'still', { retryMs: 5 })
    await next.release()
    await lock.release()
  })

  it('does not report a loss on release', async () => {
    const lock = await acquireLock(db.url, 'released')
    await lock.release()
    await lock.release()
    expect(lock.lost.aborted).to.equal(false)
  })

  it('stops waiting on abort and leaves no connection open', async () => {
    const held = await acquireLock(db.url, 'timeout')
    const controller = new AbortController()
    const reason = new Error('enough')
    const failure = await acquireLock(db.url, 'timeout', {
      signal: controller.signal,
      onWaiting: () => controller.abort(reason),
    }).catch((error: unknown) => error)
    expect(failure).to.equal(reason)
    await held.release()
  })

  it('fails as retryable if the connection is lost while waiting', async () => {
    const held = await acquireLock(db.url, 'wait and see')
    const proxy = await startHalfOpenProxy(db.url)
    const failure = await acquireLock(proxy.url, 'wait and see', { retryMs: 5, onWaiting: proxy.cut }).catch(
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(RetryableError)
    await held.release()
    await proxy.close()
  })
})
