import { CompletionContext } from '@codemirror/autocomplete'
import { PostgreSQL, sql } from '@codemirror/lang-sql'
import { EditorState } from '@codemirror/state'
import { expect } from 'chai'
import type { SchemaTable } from './answers.gen.ts'
import { sqlCompletions, tablesIn } from './completion.ts'

const table = (schema: string, name: string, ...columns: string[]): SchemaTable => ({
  schema,
  name,
  kind: 'table',
  comment: null,
  approximate_rows: null,
  columns: columns.map((column) => ({ name: column, type: 'text', is_nullable: true, comment: null })),
  keys: [],
  indexes: [],
})
const data = [table('raw', 'blocks', 'height', 'id'), table('app', 'tokens', 'name'), table('own_a', 'sales', 'price')]

async function labels(text: string): Promise<readonly string[]> {
  const pos = text.indexOf('|')
  const state = EditorState.create({ doc: text.replace('|', ''), extensions: [sql({ dialect: PostgreSQL })] })
  const source = sqlCompletions({ data, functions: ['count', 'pg_size_pretty', 'Odd'], metrics: [] })
  return (await source(new CompletionContext(state, pos, true)))?.options.map(({ label }) => label) ?? []
}

describe('SQL completion', () => {
  it('finds the tables of a statement', () => {
    const names = (text: string): string[] => tablesIn(text, data).map(({ name }) => name)
    expect(names('select * from RAW.blocks b join tokens t on true')).to.deep.equal(['blocks', 'tokens'])
    expect(names('select * from sales')).to.deep.equal([])
    expect(names('select * from own_a.sales')).to.deep.equal(['sales'])
  })

  it('offers columns of these tables, allowed functions and tables', async () => {
    expect(await labels('SELECT h| FROM raw.blocks')).to.deep.equal([
      'height',
      'id',
      'count',
      'pg_size_pretty',
      'raw.blocks',
      'app.tokens',
      'own_a.sales',
    ])
  })

  it('offers only tables after FROM, and nothing in strings, in comments and after a dot', async () => {
    expect(await labels('SELECT * FROM |')).to.deep.equal(['raw.blocks', 'app.tokens', 'own_a.sales'])
    expect(await labels("SELECT 'h|' FROM raw.blocks")).to.deep.equal([])
    expect(await labels('SELECT 1 -- h|')).to.deep.equal([])
    expect(await labels('SELECT b.h| FROM raw.blocks b')).to.deep.equal([])
  })
})
