import { expect } from 'chai'
import { ApiError } from '../../../platform/errors.ts'
import type { SavedQuery } from './saved-queries.ts'
import type { RunOptions, SqlAnswer } from '../sql/sql-runner.ts'
import type { Tile } from './dashboards.ts'
import { tileLimits, TileResults, tileStatement } from './tile-results.ts'
import type { TileLimits, TileStatement } from './tile-results.ts'

const statement = (sql: string): TileStatement => ({ target: 'indexer', sql, parameters: [] })

function answer(value: string): SqlAnswer {
  return { columns: [{ name: 'a', type: 'text' }], rows: [[value]], rowCount: 1, truncated: false, durationMs: 1 }
}

/** Runs end when the test says so. */
function world(limits: Partial<TileLimits> = {}) {
  const runs: {
    readonly sql: string
    readonly options: RunOptions
    readonly end: (ended: SqlAnswer | Error) => void
  }[] = []
  const clock = { ms: 1_000_000 }
  const results = new TileResults(
    {
      runSql: async (_, sql, options = {}) => {
        const { promise, resolve, reject } = Promise.withResolvers<SqlAnswer>()
        runs.push({ sql, options, end: (ended) => (ended instanceof Error ? reject(ended) : resolve(ended)) })
        return await promise
      },
    },
    { ...tileLimits, ...limits },
    () => clock.ms,
  )
  const read = async (sql: string, maxAge = 30): Promise<unknown> =>
    (await results.read(statement(sql), maxAge, 'viewers')).answer.results[0]?.['a']
  const complete = async (sql: string, value: string, maxAge = 30): Promise<unknown> => {
    const reading = read(sql, maxAge)
    runs.at(-1)?.end(answer(value))
    return await reading
  }
  return { runs, clock, read, complete }
}

describe('results of tiles', () => {
  it('are computed once for all readers until they expire', async () => {
    const { runs, clock, read } = world()
    const readers = Promise.all([read('a'), read('a'), read('a', 0)])
    expect(runs).to.have.length(1)
    expect(runs[0]?.options).to.deep.equal({ client: 'viewers', maxRows: tileLimits.maxRows, parameters: [] })
    clock.ms += 60_000
    runs[0]?.end(answer('first'))
    expect(await readers, 'a run longer than the maximum age').to.deep.equal(['first', 'first', 'first'])
    clock.ms += 29_999
    expect(await read('a')).to.equal('first')
    clock.ms += 1
    const second = read('a')
    expect(runs).to.have.length(2)
    runs[1]?.end(answer('second'))
    expect(await second).to.equal('second')
    void read('a', 0)
    void read('b')
    expect(runs.map(({ sql }) => sql)).to.deep.equal(['a', 'a', 'a', 'b'])
  })

  it('include failures, but not refusals of a busy service', async () => {
    const { runs, read } = world()
    const fail = async (sql: string, status: number): Promise<void> => {
      const failed = read(sql).catch((error: unknown) => (error as ApiError).status)
      runs.at(-1)?.end(new ApiError(status, 'failed', 'failed'))
      expect(await failed).to.equal(status)
    }
    await fail('slow', 504)
    expect(await read('slow').catch(() => 'failed')).to.equal('failed')
    expect(runs).to.have.length(1)
    for (const status of [429, 503, 499]) {
      await fail(`busy ${status}`, status)
      void read(`busy ${status}`)
      expect(runs.splice(1), String(status)).to.have.length(2)
    }
  })

  it('are limited in size', async () => {
    const { complete } = world({ maxBytes: 1000 })
    const overhead = JSON.stringify({
      columns: ['a'],
      column_types: ['text'],
      results: [{ a: '' }],
      row_count: 1,
      truncated: false,
      truncated_by: null,
    }).length
    expect(await complete('a', 'x'.repeat(1000 - overhead))).to.have.length(1000 - overhead)
    const failed = await complete('b', 'x'.repeat(1001 - overhead)).catch((error: unknown) => error)
    expect(failed).to.be.an.instanceOf(ApiError).with.property('code', 'tile-too-large')
  })

  it('are dropped above the limits of the cache, least recently used first', async () => {
    const byCount = world({ maxCached: 2 })
    await byCount.complete('a', '')
    await byCount.complete('b', '')
    await byCount.read('a')
    await byCount.complete('c', '')
    await byCount.read('a')
    expect(byCount.runs).to.have.length(3)
    void byCount.read('b')
    expect(byCount.runs).to.have.length(4)
    const byBytes = world({ maxCachedBytes: 12_000 })
    for (const sql of ['a', 'b', 'c']) await byBytes.complete(sql, 'x'.repeat(4000))
    await byBytes.read('c')
    await byBytes.read('b')
    expect(byBytes.runs).to.have.length(3)
    void byBytes.read('a')
    expect(byBytes.runs).to.have.length(4)
  })
})

describe('the statement of a tile', () => {
  const saved: SavedQuery = {
    id: '5f2c9e0a17b3d684',
    name: 'a',
    target: 'indexer',
    question: '',
    sql: 'SELECT {{n}}, {{t}}',
    parameters: [
      { name: 'n', type: 'number', value: '1' },
      { name: 't', type: 'text', value: '' },
    ],
    updatedAt: new Date(0),
  }
  const tile = (...parameters: Tile['parameters']): Tile => ({
    id: '5b1c09ef',
    queryId: saved.id,
    title: '',
    parameters,
    view: 'table',
    width: 1,
  })
  const valuesOf = (...parameters: Tile['parameters']): readonly string[] =>
    tileStatement(tile(...parameters), saved).parameters.map(({ value }) => value)

  it('has the values of the tile for the parameters of the query', () => {
    expect(valuesOf()).to.deep.equal(['1', ''])
    expect(valuesOf({ name: 'n', type: 'number', value: '2' })).to.deep.equal(['2', ''])
    expect(valuesOf({ name: 'n', type: 'number', value: '' })).to.deep.equal(['1', ''])
    expect(valuesOf({ name: 'n', type: 'text', value: 'x' }), 'another type').to.deep.equal(['1', ''])
    expect(valuesOf({ name: 'other', type: 'text', value: 'x' }), 'unknown').to.deep.equal(['1', ''])
  })

  it('requires a query and values', () => {
    expect(() => tileStatement(tile(), undefined)).to.throw(ApiError, 'was deleted')
    const withoutDefault = { ...saved, parameters: [{ name: 'n', type: 'number', value: '' }] as const }
    expect(() => tileStatement(tile(), withoutDefault)).to.throw(ApiError, 'Parameter "n" has no value')
  })
})
