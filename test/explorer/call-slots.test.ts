import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import type { PoolClient } from 'pg'
import type { Client } from '../../src/platform/limits/clients.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const account = '0x00000000000000b0'
const report = `/flow/account/${account}/tax-report`
/** Has more transfers than the buffers of a connection hold, so a download waits for its client. */
const busyAccount = '0x00000000000000b1'
const busyAccountTransfers = 40_000
/** Lets a test set the client address. */
const clientOf = (request: IncomingMessage): Client => ({
  address: String(request.headers['x-test-address']),
  isLocal: false,
})

describe('slots for expensive calls', () => {
  let database: TestDatabase
  let api: RunningApi
  let locking: PoolClient
  let calls: AbortController

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 110)
    await ensurePartitions(database.pool, 'app.ft_transfers', 1_000_000, { from: 0, to: 200 })
    await ensurePartitions(database.pool, 'app.nft_transfers', 5_000_000, { from: 0, to: 200 })
    await ensurePartitions(database.pool, 'app.address_transactions', 1_000_000, { from: 0, to: 200 })
    await database.pool.query(`
      insert into app.ft_transfers
      select h, 0, 0, 0, 'A.1654653399040a61.FlowToken', null, '${account}', 1, 'transfer'
      from generate_series(100, 110) as h;
      insert into app.ft_transfers
      select 110, 1, i, 0, 'A.1654653399040a61.FlowToken', null, '${busyAccount}', 1, 'transfer'
      from generate_series(1, ${busyAccountTransfers}) as i;
      insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
      values ('${account}', 'A.1654653399040a61.FlowToken', 1, 1, 1, 0, 1),
        ('${busyAccount}', 'A.1654653399040a61.FlowToken', 1, 1, 1, 0, 1)`)
  })

  after(async () => {
    await database.drop()
  })

  beforeEach(async () => {
    api = await runApi(database.url, { server: { clientOf } })
    calls = new AbortController()
    locking = await database.pool.connect()
    await locking.query('begin')
  })

  afterEach(async () => {
    calls.abort()
    await locking.query('rollback')
    locking.release()
    await api.stop()
  })

  /** Responses that use a table block until the test releases it. */
  const lock = async (table: string): Promise<void> => {
    await locking.query(`lock table ${table} in access exclusive mode`)
  }
  const ask = (path: string, address: string): Promise<Response> =>
    api.get(path, { headers: { 'X-Test-Address': address, 'Accept-Encoding': 'identity' }, signal: calls.signal })
  const askOften = (count: number, path: string, address: string): Promise<Response>[] =>
    Array.from({ length: count }, () => ask(path, address))
  const problemOf = async (response: Response): Promise<string> =>
    `${response.status} ${((await response.json()) as { code: string }).code} ${response.headers.get('retry-after')}`

  for (const [path, table] of [
    [`${report}?end_date=2025-01-01`, 'app.ft_transfers'],
    ['/status?include_ranges=true', 'app.indexing_checkpoints'],
  ] as const) {
    it(`run 4 calls per client, queue 20, and keep other clients unaffected: ${path}`, async () => {
      await lock(table)
      const first = askOften(24, path, '203.0.113.1')
      const over = askOften(1, path, '203.0.113.1')
      // Which of the 25 is rejected depends on their order of arrival.
      expect(await problemOf(await Promise.race([...first, ...over]))).to.equal('429 too-many-calls 2')
      const others = askOften(4, path, '203.0.113.2')
      await locking.query('commit')
      expect((await Promise.all(others)).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
      const statuses = (await Promise.all([...first, ...over])).map(({ status }) => status).toSorted((a, b) => a - b)
      expect(statuses).to.deep.equal([...Array<number>(24).fill(200), 429])
    })
  }

  it('leave connections for calls that need no slot', async () => {
    await lock('app.ft_transfers')
    const held = ['203.0.113.1', '203.0.113.2', '203.0.113.3'].flatMap((client) =>
      askOften(4, `${report}?end_date=2025-01-01`, client),
    )
    const over = askOften(21, `${report}?end_date=2025-01-01`, '203.0.113.1')
    expect((await Promise.race([...held, ...over])).status, 'of a client with 4 that run and 20 that wait').to.equal(
      429,
    )
    for (const path of ['/flow/block', '/flow/block/105', '/status']) {
      for (const client of ['203.0.113.1', '203.0.113.4'])
        expect((await ask(path, client)).status, `${path} of ${client}`).to.equal(200)
    }
    await locking.query('commit')
    expect((await Promise.all(held)).map(({ status }) => status)).to.deep.equal(Array<number>(12).fill(200))
    await Promise.all(over)
  })

  it('are limited to 2 downloads per client and 6 in total', async () => {
    const csv = `/flow/account/${busyAccount}/tax-report?end_date=2025-01-01&format=csv`
    const clients = ['203.0.113.1', '203.0.113.2', '203.0.113.3']
    const held = clients.flatMap((client) => askOften(2, csv, client))
    const started = await Promise.all(held)
    expect(started.map(({ status }) => status)).to.deep.equal(Array<number>(6).fill(200))
    expect(await problemOf(await ask(csv, '203.0.113.1'))).to.equal('429 too-many-calls 2')
    expect(await problemOf(await ask(csv, '203.0.113.4'))).to.equal('503 busy 2')
    const text = await started[0]?.text()
    expect(text?.trim().split('\n'), 'with the names of its columns').to.have.length(busyAccountTransfers + 1)
    expect((await ask(csv, '203.0.113.1')).status, 'after a download has ended').to.equal(200)
  })

  it('are used by /status with ranges', async () => {
    await lock('app.ft_transfers')
    const held = askOften(24, `${report}?end_date=2025-01-01`, '203.0.113.1')
    const over = ask(`${report}?end_date=2025-01-01`, '203.0.113.1')
    expect((await Promise.race([...held, over])).status).to.equal(429)
    expect((await ask('/status?include_ranges=true', '203.0.113.1')).status).to.equal(429)
    await locking.query('commit')
    await Promise.all([...held, over])
  })
})
