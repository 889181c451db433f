import { expect } from 'chai'
import { createTestDatabase } from '../../../test/support/database.ts'
import { FlowfarmError } from '../errors.ts'
import { namedQuery } from './named-query.ts'

describe('named statements', () => {
  it('are parsed once per connection and return the same rows as other statements', async () => {
    const database = await createTestDatabase({ max: 1 })
    try {
      const text = 'select $1::int + 1 as n'
      for (const n of [1, 2, 3]) expect((await namedQuery(database.pool, text, [n])).rows).to.deep.equal([{ n: n + 1 }])
      expect((await namedQuery(database.pool, 'select $1::int + 2 as n', [1])).rows).to.deep.equal([{ n: 3 }])
      const { rows } = await database.pool.query(
        'select count(*)::int as count from pg_prepared_statements where statement like $1',
        ['select $1::int +%'],
      )
      expect(rows).to.deep.equal([{ count: 2 }])
      const failed = await namedQuery(database.pool, 'select 1 / $1::int as n', [0]).catch((error: unknown) => error)
      expect(failed).to.be.instanceOf(FlowfarmError)
      expect((await namedQuery(database.pool, 'select 1 / $1::int as n', [1])).rows).to.deep.equal([{ n: 1 }])
    } finally {
      await database.drop()
    }
  })
})
