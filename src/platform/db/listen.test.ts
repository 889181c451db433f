import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { startHalfOpenProxy, type HalfOpenProxy } from '../../../test/support/half-open-proxy.ts'
import { listen, type ListenOptions } from './listen.ts'

/** A queue on which a test can wait. */
class Received<T> {
  readonly #values: T[] = []
  readonly #waiting: ((value: T) => void)[] = []

  readonly push = (value: T): void => {
    const next = this.#waiting.shift()
    if (next === undefined) this.#values.push(value)
    else next(value)
  }

  next(): Promise<T> {
    const value = this.#values.shift()
    if (value !== undefined) return Promise.resolve(value)
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }
}

describe('listen', () => {
  let db: TestDatabase
  let proxy: HalfOpenProxy
  let controller: AbortController
  let received: Received<string>
  let reconnected: Received<true>
  let errors: Received<Error>
  let options: ListenOptions

  before(async () => {
    db = await createTestDatabase()
  })
  after(() => db.drop())
  beforeEach(async () => {
    proxy = await startHalfOpenProxy(db.url)
    controller = new AbortController()
    received = new Received()
    reconnected = new Received()
    errors = new Received()
    options = {
      signal: controller.signal,
      heartbeatMs: 20,
      answerTimeoutMs: 100,
      baseMs: 1,
      maxMs: 5,
      onReconnect: () => reconnected.push(true),
      onError: errors.push,
    }
  })
  afterEach(async () => {
    controller.abort()
    await proxy.close()
  })

  const hear = (channel: string, payload: string): void => received.push(`${channel}: ${payload}`)
  const notify = (channel: string, payload: string): Promise<unknown> =>
    db.pool.query('SELECT pg_notify($1, $2)', [channel, payload])

  it('receives only its channels, including unusual names, and stops on abort', async () => {
    const listener = await listen(db.url, ['blocks', 'Odd "name"'], hear, options)
    await notify('blocks', '1')
    await notify('others', '2')
    await notify('Odd "name"', '')
    expect(await received.next()).to.equal('blocks: 1')
    expect(await received.next()).to.equal('Odd "name": ')
    controller.abort()
    await listener.ended
  })

  it('reconnects and reports it after its connection is terminated', async () => {
    const listener = await listen(proxy.url, ['blocks'], hear, options)
    proxy.cut()
    await reconnected.next()
    await notify('blocks', 'after')
    expect(await received.next()).to.equal('blocks: after')
    controller.abort()
    await listener.ended
  })

  it('detects a silently dead connection', async () => {
    const listener = await listen(proxy.url, ['blocks'], hear, options)
    proxy.freeze()
    await errors.next()
    proxy.thaw()
    await reconnected.next()
    await notify('blocks', 'after')
    expect(await received.next()).to.equal('blocks: after')
    controller.abort()
    await listener.ended
  })

  it('detects a session that no longer listens', async () => {
    const listener = await listen(db.url, ['blocks'], hear, { ...options, applicationName: 'forgetful' })
    // Only the session itself can UNLISTEN, so an inherited function does it here.
    await db.pool.query(
      'CREATE FUNCTION public.pg_listening_channels() RETURNS SETOF text LANGUAGE sql RETURN NULL::text',
    )
    const { rows } = await db.pool.query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
    await db.pool.query(`ALTER DATABASE ${rows[0]?.name} SET search_path = public, pg_catalog`)
    await db.pool.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'forgetful'")
    await reconnected.next()
    await errors.next()
    let trouble = await errors.next()
    while (!trouble.message.includes('does not listen on blocks')) trouble = await errors.next()
    await db.pool.query(`ALTER DATABASE ${rows[0]?.name} RESET search_path`)
    await db.pool.query('DROP FUNCTION public.pg_listening_channels')
    controller.abort()
    await listener.ended
  })

  it('retries if the database is unavailable at first', async () => {
    proxy.freeze()
    const listening = listen(proxy.url, ['blocks'], hear, options)
    proxy.cut()
    proxy.thaw()
    await listening
    await notify('blocks', '1')
    expect(await received.next()).to.equal('blocks: 1')
  })

  it('reports a handler error and continues', async () => {
    const fault = new Error('handler')
    await listen(
      db.url,
      ['blocks'],
      (_channel, payload) => {
        if (payload === 'bad') throw fault
        received.push(payload)
      },
      options,
    )
    await notify('blocks', 'bad')
    await notify('blocks', 'good')
    expect(await errors.next()).to.equal(fault)
    expect(await received.next()).to.equal('good')
  })

  it('rejects if aborted before the first LISTEN', async () => {
    proxy.freeze()
    const listening = listen(proxy.url, ['blocks'], hear, options).catch((error: unknown) => error)
    const reason = new Error('enough')
    controller.abort(reason)
    expect(await listening).to.equal(reason)
  })
})
