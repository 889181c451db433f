import { expect } from 'chai'
import { pino } from 'pino'
import { fillIndexer } from '../../../../scripts/eval/databases.ts'
import { openSqlRunner } from '../../../../src/assistant/query/sql/sql-runner.ts'
import type { SqlRunner } from '../../../../src/assistant/query/sql/sql-runner.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { analyticQueries } from './corpora/analytic-queries.ts'

describe('real analytic queries', () => {
  let database: TestDatabase
  let runner: SqlRunner
  before(async () => {
    database = await createTestDatabase()
    await fillIndexer(database, { seed: 9, head: 60, lastBlockAt: new Date('2026-01-08T06:00:00Z') })
    runner = await openSqlRunner({ target: 'indexer', url: database.url, log: pino({ level: 'silent' }) })
  })
  after(async () => {
    await runner.end()
    await database.drop()
  })

  for (const [feature, queries] of Object.entries(analyticQueries)) {
    it(`pass the gate and return rows: ${queries.length} with ${feature}`, async () => {
      const failed: string[] = []
      for (const sql of queries) {
        const outcome = await runner.run(sql).then(({ rowCount }) => (rowCount > 0 ? undefined : 'no rows'), String)
        if (outcome !== undefined) failed.push(`${sql}: ${outcome}`)
      }
      expect(failed).to.deep.equal([])
    })
  }

  it('include a hundred queries', () => {
    expect(Object.values(analyticQueries).flat()).to.have.length.of.at.least(100)
  })
})
