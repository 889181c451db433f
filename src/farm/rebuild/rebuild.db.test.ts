import { expect } from 'chai'
import type pg from 'pg'
import { workers } from '../../../jobs/index.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { runFarm, untilDerived } from '../../../test/support/farm.ts'
import { runIngest, untilStored } from '../../../test/support/ingest.ts'
import { startRecordedNode } from '../../../test/support/replay.ts'
import { compareDerived } from './compare-derived.ts'
import type { CompareOptions, DerivedComparison, TableComparison } from './compare-derived.ts'
import { rebuildDerived } from './rebuild-derived.ts'
import type { RebuildOptions, RebuildReport } from './rebuild-derived.ts'

const network = 'emulator'
const names = workers.map(({ name }) => name)
const heights = [{ from: 0, to: 100 }]

describe('a rebuild', function (this: Mocha.Suite) {
  this.timeout(60_000)
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
  })
  after(() => database.drop())

  const rebuild = (options: Partial<RebuildOptions> = {}): Promise<RebuildReport> => rebuildDerived({ pool, workers, network, ...options })
  const compare = (options: Partial<CompareOptions> = {}): Promise<DerivedComparison> => compareDerived({ pool, workers, ...options })
  const differing = ({ tables }: DerivedComparison): TableComparison[] => tables.filter(({ differences }) => differences > 0)

  it('is equal to what the farm made, table by table', async () => {
    const done: string[] = []
    const report = await rebuild({ onProgress: (some, all) => done.push(`${some}/${all}`) })
    expect(report.heights).to.deep.equal(heights)
    expect(report.rows).to.be.greaterThan(1000)
    expect(done).to.deep.equal(['100/100'])
    const comparison = await compare()
    expect(differing(comparison)).to.deep.equal([])
    expect(comparison).to.include({ isEqual: true }).and.deep.include({ heights, leftOut: [] })
    for (const { table, kept, rebuilt, leftOut } of comparison.tables) {
      const { rows: [row] } = await pool.query<{ rows: number }>(`select count(*)::int as rows from ${table}`)
      expect({ kept, rebuilt, leftOut }, table).to.deep.equal({ kept: row?.rows, rebuilt: row?.rows, leftOut: 0 })
    }
  })
})
