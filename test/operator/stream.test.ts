import { expect } from 'chai'
import { SignJWT } from 'jose'
import { createPool } from '../../src/platform/db/pool.ts'
import { setCoverage } from '../../src/farm/farm-tables.test-support.ts'
import type { Overview } from '../../src/operator/overview-feed.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { runOperator } from '../support/running-operator.ts'
import type { RunningOperator } from '../support/running-operator.ts'
import { SseClient } from '../support/sse-client.ts'
import type { ServerEvent } from '../support/sse-client.ts'

describe('operator event stream', () => {
  let database: TestDatabase
  let operator: RunningOperator | undefined
  let cleanUp = async (): Promise<void> => undefined

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  beforeEach(() => database.pool.query('truncate app.worker_leases, app.indexing_checkpoints'))

  afterEach(async () => {
    await operator?.stop()
    operator = undefined
    await cleanUp()
    cleanUp = async () => undefined
  })

  const running = async (variables = {}): Promise<string> => {
    operator = await runOperator(database.url, variables, { pauseMs: 20 })
    return `http://${operator.api.host}/operator/api/stream`
  }

  const shows =
    (covered: number) =>
    ({ event, data }: ServerEvent): boolean =>
      event === 'overview' && (data as Overview).stages.find(({ name }) => name === 'token_worker')?.covered === covered

  it('sends the state at once, then each change, to all clients', async () => {
    const url = await running()
    const clients = [new SseClient(url), new SseClient(url)]
    for (const client of clients) await client.next(shows(0))
    await setCoverage(database.pool, { main_ingester: [{ from: 0, to: 10 }], token_worker: [{ from: 0, to: 5 }] })
    for (const client of clients) await client.next(shows(5))
    await setCoverage(database.pool, { token_worker: [{ from: 0, to: 7 }] })
    for (const client of clients) await client.next(shows(7))
    for (const { events } of clients) {
      const reported = events.map(({ data }) => JSON.stringify({ ...(data as Overview), generatedAt: '' }))
      expect(reported.filter((text, i) => text === reported[i - 1])).to.deep.equal([])
    }
    for (const client of clients) client.close()
  })

  it('sends a farewell at shutdown without delaying it', async () => {
    const client = new SseClient(await running())
    await client.next(({ event }) => event === 'overview')
    await operator?.stop()
    operator = undefined
    await client.ended()
    expect(client.events.at(-1)).to.deep.include({ event: 'bye' })
  })

  it('ends when the credentials of its client expire', async () => {
    const secret = 'a secret of at least thirty-two bytes, for tests'
    const url = await running({ ADMIN_JWT_SECRET: secret })
    const jwt = await new SignJWT({ role: 'admin' })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('2s')
      .sign(new TextEncoder().encode(secret))
    const client = new SseClient(url, { Authorization: `Bearer ${jwt}` })
    await client.next(({ event }) => event === 'overview')
    for (let covered = 1; !client.events.some(({ event }) => event === 'bye'); covered++) {
      await setCoverage(database.pool, { token_worker: [{ from: 0, to: covered }] })
      await database.pool.query('select pg_sleep(0.02)')
    }
    await client.ended()
  })

  it('reports a database outage, and resumes afterwards', async () => {
    const proxy = await startHalfOpenProxy(database.url)
    const pool = createPool(proxy.url, { max: 2, connectTimeoutMs: 200, answerTimeoutMs: 1000 })
    cleanUp = async () => {
      await pool.end()
      await proxy.close()
    }
    operator = await runOperator(database.url, {}, { pauseMs: 20, pool })
    await setCoverage(database.pool, { main_ingester: [{ from: 0, to: 10 }], token_worker: [{ from: 0, to: 3 }] })
    const client = new SseClient(`http://${operator.api.host}/operator/api/stream`)
    await client.next(shows(3))
    proxy.freeze()
    const { data } = await client.next(({ data: overview }) => !(overview as Overview).database.isUp)
    expect((data as Overview).stages.find(({ name }) => name === 'token_worker')).to.include({ covered: 3 })
    expect((await operator.get('/leases')).body).to.include({ status: 503, code: 'database-unavailable' })
    proxy.thaw()
    await client.next(({ data: overview }) => (overview as Overview).database.isUp, client.events.length)
    client.close()
  })
})
