import { expect } from 'chai'
import { pino } from 'pino'
import { createPool } from '../platform/db/pool.ts'
import { listen } from '../platform/db/listen.ts'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { clearDrills, DrillWatch, drillsChannel, listDrills, setDrill } from './drills.ts'

describe('fault drills', () => {
  let database: TestDatabase
  const stop = new AbortController()
  const stops: (() => Promise<void>)[] = []

  before(async () => {
    database = await createTestDatabase()
  })
  beforeEach(() => database.pool.query('truncate app.fault_drills'))
  after(async () => {
    stop.abort()
    for (const end of stops) await end()
    await database.drop()
  })

  const watch = async (refreshMs: number): Promise<DrillWatch> => {
    const started = await DrillWatch.start({
      databaseUrl: database.url,
      pool: database.pool,
      log: pino({ level: 'silent' }),
      signal: stop.signal,
      refreshMs,
    })
    stops.push(() => started.stop())
    return started
  }
  /** The first result of the watch for the range that differs from `before`. */
  const changed = async (
    drills: DrillWatch,
    worker: string,
    range: { from: number; to: number },
  ): Promise<string | undefined> => {
    const code = (): string | undefined => (drills.faultFor(worker, range) as { code?: string } | undefined)?.code
    const before = code()
    while (code() === before) await database.pool.query('select 1')
    return code()
  }

  it('are set, replaced, listed and cleared', async () => {
    await setDrill(database.pool, { worker: 'token_worker', from: 10, to: 20, reason: 'an exercise' })
    await setDrill(database.pool, { worker: 'accounts_worker', from: 0, to: 1 })
    await setDrill(database.pool, { worker: 'token_worker', from: 5, to: 6 })
    const drills = await listDrills(database.pool)
    expect(drills.map(({ worker, from, to, reason }) => [worker, from, to, reason])).to.deep.equal([
      ['accounts_worker', 0, 1, null],
      ['token_worker', 5, 6, null],
    ])
    expect(new Date(drills[0]?.createdAt ?? '').getTime()).to.be.within(Date.now() - 60_000, Date.now() + 60_000)
    expect(await clearDrills(database.pool, 'token_worker')).to.equal(1)
    expect(await clearDrills(database.pool, 'token_worker')).to.equal(0)
    expect(await clearDrills(database.pool)).to.equal(1)
    expect(await listDrills(database.pool)).to.deep.equal([])
  })

  for (const [what, code, drill] of [
    ['a range without heights', 'empty-range', { worker: 'token_worker', from: 7, to: 7 }],
    ['a height below 0', 'empty-range', { worker: 'token_worker', from: -1, to: 7 }],
    ['half a height', 'empty-range', { worker: 'token_worker', from: 0.5, to: 7 }],
  ] as const) {
    it(`reject ${what}`, async () => {
      const refused = await setDrill(database.pool, drill).catch((error: unknown) => error)
      expect(refused).to.include({ code })
    })
  }

  it('are known at startup and match every overlapping range', async () => {
    await setDrill(database.pool, { worker: 'token_worker', from: 10, to: 20, reason: 'an exercise' })
    const drills = await watch(3_600_000)
    const meets = (from: number, to: number, worker = 'token_worker'): boolean =>
      drills.faultFor(worker, { from, to }) !== undefined
    expect([meets(0, 10), meets(0, 11), meets(12, 13), meets(19, 40), meets(20, 40), meets(0, 100)]).to.deep.equal([
      false,
      true,
      true,
      true,
      false,
      true,
    ])
    expect(meets(12, 13, 'accounts_worker')).to.equal(false)
    expect(drills.faultFor('token_worker', { from: 10, to: 11 })).to.include({
      code: 'fault-drill',
      message: 'Fault drill of token_worker at heights 10 to 19: an exercise',
    })
  })

  it('are announced when set and cleared', async () => {
    const drills = await watch(3_600_000)
    const range = { from: 3, to: 4 }
    await setDrill(database.pool, { worker: 'token_worker', ...range })
    expect(await changed(drills, 'token_worker', range)).to.equal('fault-drill')
    await clearDrills(database.pool)
    expect(await changed(drills, 'token_worker', range)).to.equal(undefined)
  })

  it('are polled without notifications', async () => {
    const drills = await watch(20)
    await database.pool.query("insert into app.fault_drills values ('token_worker', 3, 4)")
    expect(await changed(drills, 'token_worker', { from: 3, to: 4 })).to.equal('fault-drill')
  })

  it('that cannot be read are logged once for each cause', async () => {
    const logged: { readonly level: number; readonly msg: string }[] = []
    const seen = Promise.withResolvers<void>()
    const pool = createPool(database.url, { max: 1 })
    const log = pino(
      { level: 'debug' },
      {
        write: (line: string) => {
          logged.push(JSON.parse(line) as (typeof logged)[number])
          if (failures().length === 3) seen.resolve()
        },
      },
    )
    const failures = () => logged.filter(({ msg }) => msg.startsWith('Could not read the fault drills'))
    const started = await DrillWatch.start({ databaseUrl: database.url, pool, log, signal: stop.signal, refreshMs: 5 })
    stops.push(() => started.stop())
    await pool.end()
    await seen.promise
    expect(
      failures()
        .slice(0, 3)
        .map(({ level }) => level),
    ).to.deep.equal([40, 20, 20])
  })

  it('are announced only after they are committed', async () => {
    const received: string[] = []
    const end = new AbortController()
    const listener = await listen(database.url, [drillsChannel], (_channel, payload) => received.push(payload), {
      signal: end.signal,
      onReconnect: () => undefined,
    })
    const client = await database.pool.connect()
    await client.query('begin')
    await setDrill(client, { worker: 'token_worker', from: 0, to: 1 })
    await client.query('rollback')
    client.release()
    await setDrill(database.pool, { worker: 'accounts_worker', from: 0, to: 1 })
    while (received.length === 0) await database.pool.query('select 1')
    expect(received).to.deep.equal(['accounts_worker'])
    end.abort()
    await listener.ended
  })
})
