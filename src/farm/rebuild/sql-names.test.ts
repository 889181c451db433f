import { expect } from 'chai'
import { workers } from '../../../jobs/index.ts'
import { FatalError } from '../../platform/errors.ts'
import { renameTables, replaceParameters } from './derived-tables.ts'

const rename = (table: string): string | undefined => (table === 'app.x' ? 'copy.x' : undefined)
const renamed = (sql: string): string => renameTables(sql, rename)

describe('renameTables', () => {
  it('replaces a table name in any notation', () => {
    expect(renamed('select * from app.x')).to.equal('select * from copy.x')
    expect(renamed('select app.x.a, APP.X.b from "app"."x", App . x')).to.equal(
      'select copy.x.a, copy.x.b from copy.x, copy.x',
    )
    expect(renamed('insert into app.x(a) select 1')).to.equal('insert into copy.x(a) select 1')
    expect(renamed('app.x')).to.equal('copy.x')
  })

  it('ignores similar text', () => {
    for (const sql of [
      'select * from app.xy, app.y, myapp.x, raw.x, x.app',
      'select a.app.x',
      'select "app.x"',
      'select "APP".x',
      '-- app.x\nselect 1',
      '/* app.x\n */ select 1',
      'select app from x',
      'select x.a from app.y x',
    ])
      expect(renamed(sql)).to.equal(sql)
  })

  it('rejects a name in a string constant', () => {
    const constants = [
      "select to_regclass('app.x')",
      'select $$app.x$$',
      'do $t$ app.x $t$',
      String.raw`select e'\'app.x'`,
    ]
    for (const sql of constants) {
      expect(() => renamed(sql)).to.throw(FatalError, 'app.x')
    }
    expect(renamed("select 'it''s' from app.x")).to.equal("select 'it''s' from copy.x")
    expect(renamed(String.raw`select e'\'' from app.x`)).to.equal(String.raw`select e'\'' from copy.x`)
    expect(renamed('select $1, $2 from app.x where $3 = $4')).to.equal('select $1, $2 from copy.x where $3 = $4')
    expect(renamed('select "a""b" from app.x')).to.equal('select "a""b" from copy.x')
  })

  it('replaces all names in worker statements that a text search finds', () => {
    const owned = new Set(workers.flatMap(({ tables, folds }) => [...tables, ...folds].map(({ name }) => name)))
    for (const fold of workers.flatMap(({ folds }) => folds)) {
      const others = fold.kind === 'state' ? [fold.fold, fold.merge ?? ''] : [fold.counted]
      for (const sql of [fold.touched, ...others]) {
        const result = renameTables(sql, (table) => (owned.has(table) ? table.replace('app.', 'copy.') : undefined))
        for (const name of owned) expect(result).to.not.match(new RegExp(`\\b${name.replace('.', String.raw`\.`)}\\b`))
        expect(result.replaceAll('copy.', 'app.')).to.equal(sql)
      }
    }
  })
})

describe('replaceParameters', () => {
  it('replaces parameters by expressions', () => {
    const expressions = ['a', 'b', ...Array.from({ length: 7 }, () => '-'), 'j']
    expect(replaceParameters("select $1, '$2', $2 -- $1\n, $10", expressions)).to.equal("select a, '$2', b -- $1\n, j")
  })

  it('throws for a missing one', () => {
    expect(() => replaceParameters('select $2', ['a'])).to.throw(RangeError, '$2')
  })
})
