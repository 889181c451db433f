import { expect } from 'chai'
import type { CatalogTable } from './knowledge.ts'
import { describeOwnTables, noOwnTables } from './own-tables.ts'

function table(schema: string, name: string, column = 'price', comment: string | null = null): CatalogTable {
  return {
    schema,
    name,
    kind: 'table',
    comment,
    columns: [{ name: column, type: 'numeric', isNullable: true, comment: null }],
    keys: [],
    indexes: [],
    approximateRows: null,
  }
}

describe('own tables in prompts', () => {
  const workers = new Map([['own_top_shot', 'Moments of NBA Top Shot (events of A.01.TopShot)']])

  it('are listed by schema with what the worker indexes', () => {
    expect(describeOwnTables({ tables: [table('own_top_shot', 'sales')], workers }, 10_000)).to.equal(
      [
        '-- Own tables of this installation: typed events of single contracts, and their current state.',
        '-- Schema own_top_shot: Moments of NBA Top Shot (events of A.01.TopShot)',
        'CREATE TABLE own_top_shot.sales (\n  price numeric\n);',
      ].join('\n\n'),
    )
  })

  it('are absent without workers', () => {
    expect(describeOwnTables(noOwnTables, 10_000)).to.equal('')
  })

  it('are limited to those that suit the question', () => {
    const others = Array.from({ length: 500 }, (_, i) => table(`own_other_${i}`, 'transfers', 'amount'))
    const tables = [...others, table('own_top_shot', 'moment_purchased', 'seller', 'x'.repeat(100_000))]
    const text = describeOwnTables({ tables, workers }, 3000, 'Which sellers sold most moments of Top Shot?')
    expect(text.length).to.be.below(3000)
    expect(text).to.include('CREATE TABLE own_top_shot.moment_purchased')
    expect(text).to.match(/-- \d+ more own tables exist/)
  })
})
