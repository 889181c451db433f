import { expect } from 'chai'
import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import type { Worker } from '../../../jobs/worker.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { runFarm, untilDerived } from '../../../test/support/farm.ts'
import { runIngest, untilStored } from '../../../test/support/ingest.ts'
import { startRecordedNode } from '../../../test/support/replay.ts'
import { asError, FlowfarmError } from '../../platform/errors.ts'
import { compareDerived } from './compare-derived.ts'
import type { CompareOptions, DerivedComparison, TableComparison } from './compare-derived.ts'
import { rebuildDerived } from './rebuild-derived.ts'
import type { RebuildOptions, RebuildReport } from './rebuild-derived.ts'

const network = 'emulator'
const names = workers.map(({ name }) => name)
const heights = [{ from: 0, to: 100 }]

describe('a rebuild', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    const node = await startRecordedNode('base', { head: 99 })
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 99, ingest)
    await ingest.stop()
    await node.stop()
    const farm = await runFarm(database, { HISTORY_DERIVERS_CHUNK: '13', LIVE_DERIVERS_CHUNK: '7' })
    await untilDerived(database, names, heights, farm)
    await farm.stop()
    await pool.query('create table app.kept_coverage as select service_name, covered from app.coverage')
    await pool.query('delete from app.worker_leases')
  })
  beforeEach(async () => {
    await pool.query(`update app.indexing_checkpoints c set covered = k.covered, generation = 0 from app.kept_coverage k
      where k.service_name = c.service_name`)
  })
  after(() => database.drop())

  const rebuild = (options: Partial<RebuildOptions> = {}): Promise<RebuildReport> =>
    rebuildDerived({ pool, workers, network, ...options })
  const compare = (options: Partial<CompareOptions> = {}): Promise<DerivedComparison> =>
    compareDerived({ pool, workers, ...options })
  const differing = ({ tables }: DerivedComparison): TableComparison[] =>
    tables.filter((table) => table.differences > 0)
  const codeOf = async (promise: Promise<unknown>): Promise<string> => {
    try {
      await promise
      return 'none'
    } catch (error) {
      return error instanceof FlowfarmError ? error.code : asError(error).message
    }
  }
  const cover = (worker: string, multirange: string): Promise<unknown> =>
    pool.query('update app.indexing_checkpoints set covered = $2 where service_name = $1', [worker, multirange])

  it('equals the derived tables', async () => {
    const done: string[] = []
    const report = await rebuild({ onProgress: (some, all) => done.push(`${some}/${all}`) })
    expect(report.heights).to.deep.equal(heights)
    expect(report.rows).to.be.greaterThan(1000)
    expect(done).to.deep.equal(['100/100'])
    const comparison = await compare()
    expect(differing(comparison)).to.deep.equal([])
    expect(comparison).to.deep.include({ isEqual: true, heights, leftOut: [] })
    for (const { table, kept, rebuilt, leftOut } of comparison.tables) {
      const {
        rows: [row],
      } = await pool.query<{ rows: number }>(`select count(*)::int as rows from ${table}`)
      expect({ kept, rebuilt, leftOut }, table).to.deep.equal({ kept: row?.rows, rebuilt: row?.rows, leftOut: 0 })
    }
  })

  it('reports differing rows of both sides', async () => {
    await rebuild()
    await pool.query(`
      update rebuild.accounts set last_seen_height = 1000 where address = (select max(address) from rebuild.accounts);
      delete from rebuild.tx_tags where ctid = (select min(ctid) from rebuild.tx_tags);
      insert into rebuild.ft_holdings values ('0x0000000000000001', 'A.1.B', 1, 1, 1, 0, 1);
      update rebuild.ft_transfers set amount = 5.00 where ctid = (select min(ctid) from rebuild.ft_transfers)`)
    const comparison = await compare()
    expect(comparison.isEqual).to.equal(false)
    const found = new Map(differing(comparison).map((table) => [table.table, table]))
    expect([...found.keys()]).to.have.members(['app.accounts', 'app.tx_tags', 'app.ft_holdings', 'app.ft_transfers'])
    expect([...found.values()].map(({ differences }) => differences)).to.deep.equal([1, 1, 1, 1])
    expect(found.get('app.ft_holdings')?.first).to.deep.equal([
      {
        key: { address: '0x0000000000000001', token: 'A.1.B' },
        kept: undefined,
        rebuilt: {
          address: '0x0000000000000001',
          token: 'A.1.B',
          vault_balance: '1',
          vault_count: '1',
          vault_rows: '1',
          change_balance: '0',
          history_rows: '1',
          balance: '1',
          is_complete: 'true',
        },
      },
    ])
    const [account] = found.get('app.accounts')?.first ?? []
    expect(account?.rebuilt?.['last_seen_height']).to.equal('1000')
    expect(account?.kept?.['last_seen_height']).to.not.equal('1000')
    expect(account?.kept?.['address']).to.equal(account?.key['address'])
    const [tag] = found.get('app.tx_tags')?.first ?? []
    expect(tag?.rebuilt).to.equal(undefined)
    expect(tag?.kept).to.deep.include(tag?.key)
  })

  it('compares stored bytes and limits reported rows', async () => {
    await rebuild()
    const { rowCount } = await pool.query(
      'update rebuild.ft_vault_balances set balance = trim_scale(balance) where scale(balance) <> min_scale(balance)',
    )
    const [vaults] = differing(await compare({ maxRows: 2 }))
    expect(vaults).to.include({ table: 'app.ft_vault_balances', differences: rowCount })
    expect(vaults?.first).to.have.length(2)
  })

  it('excludes uncovered heights and the keys that they touch', async () => {
    await rebuild()
    const late = "'{[60,70)}'::int8multirange"
    await cover('ft_holdings_worker', '{[0,60),[70,100)}')
    await pool.query(`
      update app.ft_transfers set token = 'other' where block_height::bigint <@ ${late};
      update app.ft_holdings f set vault_balance = 77 where exists (
        select from app.ft_vault_balances h where h.block_height::bigint <@ ${late} and '0x' || encode(h.owner, 'hex') = f.address and h.token = f.token)`)
    try {
      const comparison = await compare()
      expect(differing(comparison)).to.deep.equal([])
      expect(comparison).to.deep.include({
        heights: [
          { from: 0, to: 60 },
          { from: 70, to: 100 },
        ],
        leftOut: [{ from: 60, to: 70 }],
      })
      const vaults = comparison.tables.find(({ table }) => table === 'app.ft_holdings')
      expect(vaults?.leftOut).to.be.greaterThan(0)
      const {
        rows: [row],
      } = await pool.query<{ rows: number }>('select count(*)::int as rows from app.ft_holdings')
      expect((vaults?.kept ?? 0) + (vaults?.leftOut ?? 0)).to.equal(row?.rows)
      await cover('ft_holdings_worker', '{[0,100)}')
      const found = differing(await compare()).map(({ table }) => table)
      expect(found).to.include.members(['app.ft_transfers', 'app.ft_holdings'])
    } finally {
      await pool.query(`
        truncate app.ft_transfers;
        insert into app.ft_transfers select * from rebuild.ft_transfers;
        update app.ft_holdings f set vault_balance = r.vault_balance from rebuild.ft_holdings r
        where r.address = f.address and r.token = f.token`)
    }
  })

  it('excludes keys touched by heights of the rebuild only', async () => {
    await rebuild()
    await cover('accounts_worker', '{[0,90)}')
    await pool.query(`
      delete from app.address_transactions where block_height >= 90;
      delete from app.accounts a where not exists (select from app.address_transactions s where s.address = a.address);
      update app.accounts a set last_seen_height = (
        select max(block_height) from app.address_transactions s where s.address = a.address)`)
    try {
      const comparison = await compare()
      expect(differing(comparison)).to.deep.equal([])
      expect(comparison.tables.find(({ table }) => table === 'app.accounts')?.leftOut).to.be.greaterThan(0)
    } finally {
      await pool.query(`
        truncate app.address_transactions, app.accounts;
        insert into app.address_transactions select * from rebuild.address_transactions;
        insert into app.accounts select * from rebuild.accounts`)
    }
  })

  it('can cover a part of the chain, and reports missing heights', async () => {
    const report = await rebuild({ from: 20, to: 1000 })
    expect(report.heights).to.deep.equal([{ from: 20, to: 100 }])
    const comparison = await compare({ to: 90 })
    expect(differing(comparison)).to.deep.equal([])
    expect(comparison.heights).to.deep.equal([{ from: 20, to: 90 }])
    expect((await rebuild({ from: 50, to: 50 })).heights).to.deep.equal([])
    expect((await compare()).tables.reduce((rows, { kept, rebuilt }) => rows + kept + rebuilt, 0)).to.equal(0)
  })

  it('compares unresolved problems by worker', async () => {
    const [token, ...others] = workers
    const grumbling = {
      ...token,
      derive: (range, output) => {
        for (const code of ['twice', 'twice', 'once']) {
          const message = `a NUL \0 at ${range.from}`
          output.problem({ blockHeight: range.from, txIndex: 0, eventIndex: -1, code, message })
        }
      },
    } as Worker
    expect((await rebuild({ workers: [grumbling, ...others] })).problems).to.equal(2)
    const problemsOf = async (): Promise<TableComparison | undefined> => (await compare()).tables.at(-1)
    expect(await problemsOf()).to.include({ table: 'raw.indexing_errors', kept: 0, rebuilt: 2, differences: 2 })
    const add = `insert into raw.indexing_errors (worker_name, block_height, tx_index, code, message, resolved_at)
      values ($1, 0, 0, $2, $3, $4)`
    const message = 'a NUL \\u0000 at 0'
    await pool.query(add, ['token_worker', 'once', message, null])
    await pool.query(add, ['token_worker', 'twice', message, new Date()])
    await pool.query(add, ['main_ingester', 'once', message, null])
    expect(await problemsOf()).to.include({ kept: 1, rebuilt: 2, differences: 1 })
    await pool.query('update raw.indexing_errors set resolved_at = null')
    expect(await problemsOf()).to.include({ kept: 2, rebuilt: 2, differences: 0 })
    await pool.query('truncate raw.indexing_errors')
  })

  it('skips and reports a block that cannot be derived', async () => {
    const [token, ...others] = workers
    const failing = {
      ...token,
      derive: (...[range, output, context]: Parameters<NonNullable<Worker['derive']>>) => {
        if (range.blocks.some(({ height }) => height === 42)) throw new RangeError('poison')
        token?.derive?.(range, output, context)
      },
    } as Worker
    const { failed } = await rebuild({ workers: [failing, ...others] })
    expect(failed.map(({ worker, height, error }) => [worker, height, error.message])).to.deep.equal([
      ['token_worker', 42, 'poison'],
    ])
    const wrong = differing(await compare())
    expect(wrong.map(({ table }) => table)).to.include('app.ft_transfers')
    for (const { first, kind } of wrong) {
      if (kind === 'fold') continue
      expect(new Set(first.map(({ key }) => key['block_height']))).to.deep.equal(new Set(['42']))
    }
    await cover('token_worker', '{[0,42),[43,100)}')
    expect(differing(await compare())).to.deep.equal([])
  })

  it('excludes only columns declared as not derived', async () => {
    await rebuild()
    await pool.query('update rebuild.accounts set last_seen_height = last_seen_height + 1')
    const forgiving = workers.map((worker) => ({
      ...worker,
      folds: worker.folds.map((fold) => ({ ...fold, notDerived: ['last_seen_height'] })),
    }))
    expect(differing(await compare()).map(({ table }) => table)).to.deep.equal(['app.accounts'])
    expect((await compare({ workers: forgiving })).isEqual).to.equal(true)
  })

  it('recreates tables after a migration', async () => {
    await rebuild()
    await pool.query("alter table app.accounts add column note text; update app.accounts set note = 'x'")
    expect(await codeOf(compare())).to.equal('not-rebuilt')
    await rebuild()
    expect(differing(await compare()).map(({ table }) => table)).to.deep.equal(['app.accounts'])
    await pool.query('alter table app.accounts drop column note')
    await rebuild()
    expect(differing(await compare())).to.deep.equal([])
  })

  it('rejects schemas that it does not own', async () => {
    for (const schema of ['app', 'raw', 'pg_temp', 'Upper', 'a b', '', 'x"; drop schema app']) {
      expect(await codeOf(rebuild({ schema })), schema).to.equal('bad-schema')
      expect(await codeOf(compare({ schema })), schema).to.equal('bad-schema')
    }
    await pool.query('create schema others; create table others.accounts (a int)')
    expect(await codeOf(rebuild({ schema: 'others' }))).to.equal('bad-schema')
    expect(await codeOf(compare({ schema: 'others' }))).to.equal('not-rebuilt')
    await rebuild({ schema: 'second' })
    expect((await compare({ schema: 'second' })).isEqual).to.equal(true)
  })

  it('runs once per schema and releases its lock', async () => {
    const results = await Promise.all([1, 2, 3].map(() => codeOf(rebuild())))
    expect(results.toSorted()).to.deep.equal(['none', 'rebuild-in-progress', 'rebuild-in-progress'])
    const { rows } = await pool.query("select 1 from pg_locks where locktype = 'advisory'")
    expect(rows).to.deep.equal([])
  })

  it('is invalid after a rollback or an interruption', async () => {
    await rebuild()
    await pool.query("update app.indexing_checkpoints set generation = 1 where service_name = 'main_ingester'")
    expect(await codeOf(compare())).to.equal('chain-rolled-back')
    const stopping = new AbortController()
    const stopped = rebuild({ signal: stopping.signal, onProgress: () => stopping.abort(new Error('enough')) })
    expect(await codeOf(stopped)).to.equal('enough')
    expect(await codeOf(compare())).to.equal('not-rebuilt')
    const bump = (): void => void pool.query('update app.indexing_checkpoints set generation = 2')
    expect(await codeOf(rebuild({ onProgress: bump }))).to.equal('chain-rolled-back')
  })
})
