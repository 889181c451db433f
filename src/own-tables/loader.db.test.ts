import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import type pg from 'pg'
import { txContractsWorker } from '../../jobs/tx-contracts-worker.ts'
import { storeBlocks } from '../../test/support/chain-rows.ts'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { deriveInto } from '../../test/support/derived-tables.ts'
import { setCoverage } from '../farm/farm-tables.test-support.ts'
import { readCoverage } from '../farm/leases/coverage.ts'
import { OwnWorkers } from '../farm/own/own-workers.ts'
import { RangeReader } from '../farm/range-reader/range-reader.ts'
import { withTransaction } from '../platform/db/pool.ts'
import { Metrics } from '../platform/metrics.ts'
import { difference } from '../platform/ranges.ts'
import { hostLimits } from './host/limits.ts'
import type { HostLimits } from './host/limits.ts'
import { OwnWorkerLoader, workerNameOf } from './loader.ts'
import { readRegisteredWorkers, removeOwnWorker } from './registry.ts'

const contract = 'A.f919ee77447b7497.FlowFees'
const end = 200

interface Parts {
  readonly version?: number
  readonly extra?: string
  readonly derive?: string
}

const code = ({ version = 1, extra = '', derive = '' }: Parts = {}): string => `
  import { defineWorker } from 'flowfarm/worker'
  export default defineWorker()({
    contract: '${contract}',
    version: ${version},
    tables: { fees: { columns: { name: { type: 'text' }, fields: { type: 'jsonb' }${extra} } } },
    folds: { counts: { kind: 'sum', of: 'fees', key: ['name'] } },
    derive(event, write) {
      ${derive}
      write.fees({ name: event.name, fields: event.fields })
    },
  } as never)`

describe('the loader of own workers', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let root: string
  let logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) })
  const running: { stop(): Promise<void> }[] = []

  before(async () => {
    database = await createTestDatabase({ max: 20 })
    pool = database.pool
    await storeBlocks(pool, 0, end - 1)
    const { blocks } = await new RangeReader({ pool }).read(0, end)
    await deriveInto(pool, txContractsWorker, blocks, { from: 0, to: end })
  })
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), 'flowfarm-loader-'))
    logged = []
    await setCoverage(pool, { tx_contracts_worker: [{ from: 0, to: end }] })
  })
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop()
    for (const { name } of await readRegisteredWorkers(pool)) await remove(name)
    rmSync(root, { recursive: true })
  })
  after(() => database.drop())

  const remove = (name: string): Promise<boolean> => withTransaction(pool, (client) => removeOwnWorker(client, name))
  function write(folder: string, text: string, file = 'worker.ts'): void {
    const path = join(root, folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.part`, text)
    renameSync(`${path}.part`, path)
  }
  function load(isReload = false, limits: HostLimits = hostLimits): OwnWorkerLoader {
    const loader = new OwnWorkerLoader({
      folder: root,
      isReload,
      pool,
      databaseUrl: database.url,
      log,
      limits,
      pollMs: 20,
    })
    running.push(loader)
    return loader
  }
  async function farm(isReload = false, limits: HostLimits = hostLimits): Promise<OwnWorkerLoader> {
    const source = load(isReload, limits)
    const own = new OwnWorkers({
      source,
      databaseUrl: database.url,
      pool,
      leasePool: pool,
      heartbeatPool: pool,
      log,
      metrics: new Metrics(),
      historyBatchMs: 0,
      roundMs: 20,
      historyChunk: 50,
      retryPolicy: { maxRuns: 3, baseMs: 1, capMs: 1, halveAfterRuns: 1, maxFailingUnproven: 4, maxFailing: 8 },
    })
    running.splice(running.indexOf(source), 1, own)
    await own.start()
    return source
  }
  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const isCovered = async (name: string): Promise<boolean> =>
    difference([{ from: 0, to: end }], (await readCoverage(pool, [name])).get(name) ?? []).length === 0
  const names = async (): Promise<string[]> => (await readRegisteredWorkers(pool)).map(({ name }) => name)
  const hasLogged = (text: string): boolean => logged.some((line) => line.includes(text))
  async function differences(schema: string): Promise<unknown[]> {
    const { rows } = await pool.query<object>(
      `with expected as (
         select block_height, tx_index, event_index, 0 as row_index, timestamp, transaction_id,
           substr(type, length($1) + 2) as name, payload as fields
         from raw.events_with_id where type like $1 || '.%' and payload is not null
       ), counts as (select name, count(*) as row_count from expected group by name)
       (select f::text from ${schema}.fees f except all select e::text from expected e) union all
       (select e::text from expected e except all select f::text from ${schema}.fees f) union all
       (select c::text from ${schema}.counts c except all select c::text from counts c) union all
       (select c::text from counts c except all select c::text from ${schema}.counts c)`,
      [contract],
    )
    return rows
  }

  it('runs the workers of a folder: each event of raw.events is a row', async () => {
    write('fees', code())
    write('more-fees', code())
    await farm()
    await until(async () => (await isCovered('own_fees')) && (await isCovered('own_more_fees')))
    for (const schema of ['own_fees', 'own_more_fees']) {
      expect(await differences(schema)).to.deep.equal([])
      expect((await pool.query(`select from ${schema}.fees`)).rowCount).to.be.above(0)
    }
  })

  it('registers once when several processes start at once', async () => {
    write('fees', code())
    const loaders = Array.from({ length: 3 }, () => load())
    await Promise.all(loaders.map(({ started }) => started))
    expect(loaders.map((loader) => loader.workers().map(({ name }) => name))).to.deep.equal(
      loaders.map(() => ['own_fees']),
    )
    expect(await names()).to.deep.equal(['own_fees'])
  })

  it('refuses changed code in production, until its version is higher', async () => {
    write('fees', code())
    await load().started
    await running.pop()?.stop()
    write('fees', code({ extra: ', more: { type: "text", optional: true }' }))
    const changed = load()
    await changed.started
    expect(changed.workers()).to.deep.equal([])
    expect(hasLogged('its code differs from the registered version 1')).to.equal(true)
    expect((await readRegisteredWorkers(pool))[0]?.error).to.include('raise version above 1')
    await running.pop()?.stop()
    write('fees', code({ version: 2, extra: ', more: { type: "text", optional: true }' }))
    await farm()
    await until(async () => (await readRegisteredWorkers(pool))[0]?.declaration.version === 2)
    expect(await names()).to.deep.equal(['own_fees'])
    expect((await readRegisteredWorkers(pool))[0]).to.include({ error: null, replaces: undefined })
    await pool.query('select more from own_fees.fees')
  })

  it('reloads changes: new folders, new code, broken and restored files, removed folders', async () => {
    rmSync(root, { recursive: true })
    const source = await farm(true)
    await source.started
    const running = (): string =>
      source
        .workers()
        .map(({ name }) => name)
        .join()
    write('fees', code())
    await until(() => isCovered('own_fees'))
    expect(await differences('own_fees')).to.deep.equal([])

    write(
      'fees',
      code({
        extra: ', upper: { type: "text" }',
        derive: 'write.fees({ name: "twice", fields: 1, upper: "" }); return',
      }),
    )
    await until(async () => (await readRegisteredWorkers(pool))[0]?.declaration.tables[0]?.columns.length === 3)
    const { rows } = await pool.query('select distinct name, upper from own_fees.fees')
    expect(rows).to.deep.equal([{ name: 'twice', upper: '' }])
    await until(() => running() === 'own_fees')

    write('fees', 'const half = (')
    await until(() => running() === '')
    await until(async () => (await readRegisteredWorkers(pool))[0]?.error?.includes('worker.ts:1') === true)
    expect((await readRegisteredWorkers(pool))[0]?.error).to.include('Could not load own_fees at worker.ts:1')
    expect((await pool.query('select from own_fees.fees limit 1')).rowCount).to.equal(1, 'the tables stay')

    write('fees', code())
    await until(async () => running() === 'own_fees' && (await names()).length === 1)
    await until(async () => (await isCovered('own_fees')) && (await differences('own_fees')).length === 0)
    expect((await readRegisteredWorkers(pool))[0]?.error).to.equal(null)

    write('fees', 'notes', 'README.md')
    rmSync(join(root, 'fees'), { recursive: true })
    await until(() => running() === '')
    expect(await names()).to.deep.equal(['own_fees'])
  }).timeout(120_000)

  it('serves the old tables until the new ones have caught up', async () => {
    write('fees', code())
    await farm(true)
    await until(() => isCovered('own_fees'))
    const { rows: before } = await pool.query('select * from own_fees.fees order by 1, 2, 3')
    write('fees', code({ derive: 'if (event.height === 100) throw new Error("not yet")' }))
    await until(async () => (await names()).includes('own_fees__next'))
    await until(async () => {
      const { rowCount } = await pool.query(
        `select from app.worker_leases where worker_type = 'own_fees__next' and status = 'flagged'`,
      )
      return rowCount === 1
    })
    expect((await pool.query('select * from own_fees.fees order by 1, 2, 3')).rows).to.deep.equal(before)
    expect(hasLogged('Error: not yet')).to.equal(true)
    write('fees', code({ derive: '/* fixed */' }))
    await until(async () => (await names()).length === 1 && (await isCovered('own_fees')))
    expect(await differences('own_fees')).to.deep.equal([])
  }).timeout(120_000)

  it('does not run code that another process has replaced', async () => {
    write('fees', code())
    const old = load()
    await old.started
    const [worker] = old.workers()
    await pool.query(`update app.own_workers set code_hash = 'other'`)
    const output = { rows: () => expect.fail('wrote rows'), problem: () => undefined }
    const error: unknown = await worker?.deriveEvents
      ?.derive([], output, new AbortController().signal)
      .catch((reason: unknown) => reason)
    expect(error).to.have.property('code', 'own-worker-replaced')
    await until(() => old.workers().length === 0)
    expect(hasLogged('it was removed, or other code was registered')).to.equal(true)
  })

  it('stops a worker that was removed', async () => {
    write('fees', code())
    const source = await farm()
    await until(() => isCovered('own_fees'))
    expect(await remove('own_fees')).to.equal(true)
    await until(() => source.workers().length === 0)
    expect(await names()).to.deep.equal([])
  })

  it('explains folders that it cannot use', async () => {
    write('Fees', code())
    write('fees--', code())
    write('top-fees', code())
    write('top_fees', code())
    write('bad', code().replace('columns: {', 'columns: { ctid: { type: "text" },'))
    mkdirSync(join(root, 'empty'))
    mkdirSync(join(root, '.git'))
    const loader = load()
    await loader.started
    expect(loader.workers().map(({ name }) => name)).to.deep.equal(['own_top_fees'])
    expect(hasLogged('Folder Fees cannot be the name of a worker')).to.equal(true)
    expect(hasLogged('Folder fees-- cannot')).to.equal(true)
    expect(hasLogged('top-fees has the same worker name')).to.equal(true)
    expect(hasLogged('tables.fees.columns.ctid: Rename the column')).to.equal(true)
    expect(hasLogged('empty')).to.equal(false)
    expect(workerNameOf('a'.repeat(34))).to.equal(`own_${'a'.repeat(34)}`)
    expect(() => workerNameOf('a'.repeat(35))).to.throw('at most 34 characters')
    rmSync(join(root), { recursive: true })
    await load().started
    mkdirSync(root)
    expect(hasLogged('Could not read WORKERS_DIR')).to.equal(true)
  })

  it('runs good workers beside hostile ones, whose ranges are flagged', async () => {
    const hostile: Readonly<Record<string, string>> = {
      throws: 'throw new Error("no")',
      loops: 'for (;;) {}',
      arrays: 'const all = []; for (;;) all.push(new Array(1000).fill(1))',
      buffers: 'const all = []; for (;;) all.push(Buffer.alloc(1e6, 1))',
      exits: 'process.exit(1)',
      kills: 'process.kill(process.ppid)',
      promises: 'return new Promise(() => {})',
      floods: 'for (let i = 0; i < 1e7; i++) write.fees({ name: "a", fields: i })',
      nulls: String.raw`write.fees({ name: "a\0", fields: 1 })`,
      others: 'write.blocks({ height: 1 })',
    }
    for (const [name, derive] of Object.entries(hostile)) write(name, code({ derive }))
    write('loading', 'for (;;) {}')
    write('fees', code())
    const limits = {
      ...hostLimits,
      batchMs: 5000,
      loadMs: 10_000,
      heapMib: 64,
      residentBytes: 200_000_000,
      rows: 20_000,
    }
    await farm(false, limits)
    await until(() => isCovered('own_fees'))
    expect(await differences('own_fees')).to.deep.equal([])
    const failing = Object.keys(hostile).map((name) => `own_${name}`)
    await until(async () => {
      const { rows } = await pool.query<{ worker: string }>(
        `select distinct worker_type as worker from app.worker_leases where last_error is not null`,
      )
      return failing.every((name) => rows.some(({ worker }) => worker === name))
    })
    for (const name of failing) {
      expect(
        hasLogged(`Could not derive ${name}`) || hasLogged(`${name} wrote more`) || hasLogged(`${name}.fees`),
        name,
      ).to.equal(true)
    }
    await until(() => hasLogged('Could not load own_loading'))
  }).timeout(180_000)
})
