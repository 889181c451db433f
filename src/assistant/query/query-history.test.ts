import { expect } from 'chai'
import { QueryHistory } from './query-history.ts'

const requested = (sql: string): Parameters<QueryHistory['add']>[1] => ({
  kind: 'run_sql',
  target: 'indexer',
  question: undefined,
  sql,
  rowCount: 1,
  error: undefined,
})
const all = { limit: 1000, offset: 0 }

describe('query history', () => {
  it('retains the 200 newest queries of each owner, newest first', () => {
    const history = new QueryHistory()
    for (let n = 1; n <= 201; n++) history.add('one', requested(`SELECT ${n}`))
    history.add('other', requested('SELECT 0'))
    const sqls = history.list('one', all).map(({ sql }) => sql)
    expect(sqls).to.have.length(200)
    expect([sqls[0], sqls.at(-1)]).to.deep.equal(['SELECT 201', 'SELECT 2'])
    expect(history.list('other', all)).to.have.length(1)
    expect(history.list('nobody', all)).to.deep.equal([])
  })

  it('neither returns nor deletes queries of other owners', () => {
    const history = new QueryHistory()
    history.add('one', requested('SELECT 1'))
    history.add('other', requested('SELECT 2'))
    const [mine] = history.list('one', all)
    expect(history.find('one', mine?.id ?? '')).to.equal(mine)
    expect(history.find('other', mine?.id ?? '')).to.equal(undefined)
    history.clear('one')
    expect(history.list('one', all)).to.deep.equal([])
    expect(history.list('other', all)).to.have.length(1)
  })

  it('evicts the least recently active owner above the limit', () => {
    const history = new QueryHistory()
    for (let n = 0; n < 100; n++) history.add(`owner ${n}`, requested('SELECT 1'))
    history.add('owner 0', requested('SELECT 2'))
    history.add('owner 100', requested('SELECT 1'))
    expect(history.list('owner 0', all)).to.have.length(2)
    expect(history.list('owner 1', all)).to.deep.equal([])
  })

  it('truncates a long statement to the maximum statement length', () => {
    const history = new QueryHistory()
    history.add('one', requested('x'.repeat(1_000_000)))
    expect(history.list('one', all)[0]?.sql).to.equal(`${'x'.repeat(50_000)}…`)
  })
})
