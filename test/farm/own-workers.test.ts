import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { DerivedComparison } from '../../src/farm/rebuild/compare-derived.ts'
import { readCoverage } from '../../src/farm/leases/coverage.ts'
import { difference } from '../../src/platform/ranges.ts'
import { runCommandLine } from '../support/command-line.ts'
import type { ProcessResult } from '../support/command-line.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runFarm } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { untilNotified } from '../support/until-notified.ts'
import { folderWorker, writeWorkerFolder } from '../support/worker-folder.ts'

const end = 120
const { contract } = folderWorker

describe('a farm with own workers', () => {
  let database: TestDatabase
  let folder: string
  /** Coordinates, and does not have the code. */
  let coordinating: RunningFarm
  let deriving: RunningFarm

  before(async () => {
    database = await createTestDatabase()
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-workers-'))
    await writeWorkerFolder(folder)
    await using node = await startRecordedNode('base', { head: end - 1 })
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, end - 1, ingest)
    await ingest.stop()
    coordinating = await runFarm(database, {})
    deriving = await runFarm(database, { WORKERS_DIR: folder })
    await untilNotified(database.url, ['own_rows', 'flowfarm_farm'], async () => {
      const coverage = await readCoverage(database.pool, ['own_moves'])
      return difference([{ from: 0, to: end }], coverage.get('own_moves') ?? []).length === 0
    })
  })
  after(async () => {
    await coordinating.stop()
    await deriving.stop()
    await database.drop()
    await rm(folder, { recursive: true })
  })

  const run = (name: string, args: readonly string[], variables: Record<string, string> = {}): Promise<ProcessResult> =>
    runCommandLine(name, [...args], { DB_URL: database.url, ...variables })

  it('has a row for each event', async () => {
    const { rows } = await database.pool.query(
      `select count(*)::int as rows, count(*) filter (where m.name = substr(e.type, ${contract.length + 2})
         and m.amount is not distinct from (e.payload ->> 'amount')::numeric)::int as equal,
         (select count(*)::int from raw.events where type like '${contract}.%') as events
       from own_moves.moves m left join raw.events e using (block_height, tx_index, event_index)`,
    )
    const [found] = rows as { rows: number; equal: number; events: number }[]
    expect(found?.rows).to.be.greaterThan(100)
    expect(found).to.include({ equal: found?.rows, events: found?.rows })
  })

  it('shows them in the status, and takes requests and drills for them', async () => {
    expect((await run('status', [])).stdout).to.match(/own_moves +120 +0 /)
    const again = await run('rederive', ['--from', '10', '--to', '20', '--workers', 'own_moves'])
    expect(again.stdout).to.include('Done: heights 10 to 20')
    const drill = ['set', '--worker', 'own_moves', '--from', '1000', '--to', '1001']
    expect((await run('fault', drill)).stdout).to.include('own_moves fails at 1000 to 1001')
    expect((await run('fault', ['clear'])).code).to.equal(0)
    const unknown = await run('rederive', ['--from', '1', '--to', '2', '--workers', 'own_other'])
    expect(unknown.code).to.equal(1)
    expect(unknown.stderr).to.include('own_moves')
  })

  it('compares them with a rebuild if it has their code', async () => {
    const without = await run('verify', ['--rebuild', '--json'])
    expect(without.stderr).to.include('Left out: own_moves.')
    const tablesOf = ({ stdout }: ProcessResult): string[] =>
      (JSON.parse(stdout) as DerivedComparison).tables.map(({ table }) => table)
    expect(tablesOf(without)).to.not.include('own_moves.moves')
    const whole = await run('verify', ['--rebuild', '--json'], { WORKERS_DIR: folder })
    expect(whole.code).to.equal(0)
    expect(whole.stderr).to.not.include('Left out')
    expect(tablesOf(whole)).to.include.members(['own_moves.moves', 'own_moves.totals', 'app.accounts'])
    await database.pool.query('delete from own_moves.moves where block_height = 50')
    expect((await run('verify', ['--json'])).code).to.equal(1)
  })
})
