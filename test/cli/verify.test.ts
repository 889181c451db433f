import { expect } from 'chai'
import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import type { DerivedComparison } from '../../src/farm/rebuild/compare-derived.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runCommandLine } from '../support/command-line.ts'
import type { ProcessResult } from '../support/command-line.ts'
import { runFarm, untilDerived } from '../support/farm.ts'
import type { RunningFarm } from '../support/farm.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'

const names = workers.map(({ name }) => name)

describe('rebuild, verify and rederive', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let farm: RunningFarm

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    const node = await startRecordedNode('base', { head: 119 })
    const ingest = await runIngest(database, { CHAIN_ACCESS_NODE: node.endpoint })
    await untilStored(database, 0, 119, ingest)
    await ingest.stop()
    await node.stop()
    farm = await runFarm(database, { HISTORY_DERIVERS_CHUNK: '20' })
    await untilDerived(database, names, [{ from: 0, to: 120 }], farm)
  })
  after(async () => {
    await farm.stop()
    await database.drop()
  })

  const run = (name: string, ...args: string[]): Promise<ProcessResult> =>
    runCommandLine(name, args, { DB_URL: database.url })

  it('find no difference on a running farm', async () => {
    const nothing = await run('verify')
    expect(nothing).to.include({ code: 1, stdout: '' })
    expect(nothing.stderr).to.include('--rebuild')
    const rebuilt = await run('rebuild')
    expect(rebuilt.code).to.equal(0)
    expect(rebuilt.stdout).to.match(/^Derived 120 heights \(0 to 119\) into the schema rebuild: [\d,]+ rows/)
    const { code, stdout } = await run('verify')
    expect(code).to.equal(0)
    expect(stdout)
      .to.include('120 heights (0 to 119)')
      .and.match(/Equal\.\n$/)
    for (const { tables, folds } of workers) {
      for (const { name } of [...tables, ...folds]) expect(stdout).to.include(name)
    }
  })

  it('write a partial rebuild to a named schema', async () => {
    const part = ['--rebuild', '--from', '30', '--to', '59', '--schema', 'part', '--json']
    const { code, stdout } = await run('verify', ...part)
    expect(code).to.equal(0)
    const comparison = JSON.parse(stdout) as DerivedComparison
    expect(comparison).to.deep.include({ isEqual: true, heights: [{ from: 30, to: 60 }], leftOut: [] })
    expect((await run('verify', '--from', '60', '--schema', 'part')).stderr).to.include('Nothing to compare')
    expect((await run('rebuild', '--schema', 'app')).stderr).to.include('"app" cannot be the schema')
    expect((await run('rebuild', '--from', '5000')).stderr).to.include('None of these heights are stored')
  })

  it('find, name and repair a wrong row', async () => {
    const {
      rows: [broken],
    } = await pool.query<{ height: string; index: string; amount: string }>(`
      update app.ft_transfers set amount = amount + 1
      where ctid = (select min(ctid) from app.ft_transfers where block_height = 80) and block_height = 80
      returning block_height::text as height, tx_index::text as index, amount::text as amount`)
    await pool.query('delete from app.tx_tags where block_height = 81')
    const { code, stdout } = await run('verify', '--rebuild', '--rows', '1')
    expect(code).to.equal(1)
    expect(stdout).to.include(`block_height 80, tx_index ${broken?.index}`)
    expect(stdout).to.include(`amount is ${broken?.amount}, should be`)
    expect(stdout).to.match(/^app\.ft_transfers \(token_worker\): 1 row differs$/m)
    expect(stdout).to.match(/^app\.tx_tags \(tx_contracts_worker\): \d+ rows? differs?/m)
    expect(stdout)
      .to.match(/missing; should be/)
      .and.match(/2 tables differ\.\n$/)

    const coverage = async (): Promise<readonly object[]> => {
      return (await pool.query<{ covered: string }>('select covered::text from app.coverage order by service_name'))
        .rows
    }
    const before = await coverage()
    const dry = await run('rederive', '--from', '80', '--to', '81', '--workers', 'token_worker', '--dry-run')
    expect(dry.code).to.equal(0)
    expect(dry.stdout)
      .to.match(/^token_worker +2$/m)
      .and.match(/^ft_holdings_worker +2 +follows a named worker$/m)
    expect(await coverage()).to.deep.equal(before)
    const token = await run('rederive', '--from', '80', '--to', '81', '--workers', 'token_worker')
    expect(token.code).to.equal(0)
    expect(token.stdout).to.match(/Done: heights 80 to 81, \d+ workers/)
    const rest = await run('rederive', '--from', '81', '--to', '81', '--all', '--json')
    expect(JSON.parse(rest.stdout)).to.include({ outcome: 'done', from: 81, to: 82 })
    expect((await run('verify')).stdout).to.match(/Equal\.\n$/)
  })
})
