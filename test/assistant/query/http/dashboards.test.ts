import { expect } from 'chai'
import { maxDashboards, maxTiles } from '../../../../src/assistant/query/saved/dashboards.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { Answered, Problem, RunningAsk } from '../support/running-ask.ts'

const token = { Authorization: 'Bearer secret' }
const json = { 'Content-Type': 'application/json' }
const path = '/api/v1/dashboards'

interface Dashboard {
  readonly id: string
  readonly name: string
  readonly link: string | null
  readonly refresh_seconds: number
  readonly updated_at: string
  readonly tiles: readonly { readonly id: string; readonly query_id: string }[]
}

interface Result {
  readonly results: readonly Readonly<Record<string, unknown>>[]
  readonly computed_at: string
  readonly expires_in: number
}

describe('dashboards', () => {
  let db: TestDatabase
  let ask: RunningAsk
  before(async () => {
    db = await createTestDatabase()
    ask = await runAsk(db, { API_TOKEN: 'secret' })
  })
  after(async () => {
    await ask.stop()
    await db.drop()
  })

  const send = async <Body = Problem>(
    method: string,
    to: string,
    body?: unknown,
    headers: Record<string, string> = token,
  ): Promise<Answered<Body>> => {
    const init = body === undefined ? { headers } : { headers: { ...headers, ...json }, body: JSON.stringify(body) }
    const response = await ask.fetch(to, { method, ...init })
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
  }
  const save = async (name: string, sql: string, ...parameters: object[]): Promise<string> =>
    (await send<{ id: string }>('POST', '/api/v1/queries', { name, sql, parameters })).body.id
  const create = async (...tiles: object[]): Promise<Dashboard> => {
    const { status, body } = await send<Dashboard>('POST', path, { name: ' Network ', tiles })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body
  }
  const publish = async ({ id }: Dashboard): Promise<string> => {
    const { body } = await send<Dashboard>('PUT', `${path}/${id}/link`)
    expect(body.link).to.match(/^[0-9a-f]{32}$/)
    return `/api/v1/public/dashboards/${body.link}`
  }
  const view = <Body = Problem>(to: string): Promise<Answered<Body>> => send<Body>('GET', to, undefined, {})

  it('are created, listed, changed and deleted', async () => {
    const queryId = await save('n', 'SELECT 1 AS n')
    const made = await create({ query_id: queryId }, { query_id: queryId, view: 'chart', width: 3, title: 'T' })
    expect(made).to.deep.include({ name: 'Network', refresh_seconds: 300, link: null })
    expect(made.tiles[1]).to.deep.include({ query_id: queryId, view: 'chart', width: 3, title: 'T', parameters: [] })
    expect(made.tiles[1]?.id)
      .to.match(/^[0-9a-f]{8}$/)
      .and.not.equal(made.tiles[0]?.id)
    expect((await send<Dashboard>('GET', `${path}/${made.id}`)).body).to.deep.equal(made)
    const changed = await send<Dashboard>('PUT', `${path}/${made.id}`, {
      name: 'Other',
      refresh_seconds: 30,
      tiles: made.tiles.toReversed(),
    })
    expect(changed.body).to.deep.include({ name: 'Other', refresh_seconds: 30, tiles: made.tiles.toReversed() })
    const { data } = (await send<{ data: readonly object[] }>('GET', path)).body
    expect(data[0]).to.deep.include({ id: made.id, name: 'Other', tiles: 2 })
    expect((await send('DELETE', `${path}/${made.id}`)).status).to.equal(200)
    for (const [method, body] of [['GET'], ['PUT', { name: 'a' }], ['DELETE']] as const)
      expect((await send(method, `${path}/${made.id}`, body)).body.code, method).to.equal('unknown-dashboard')
  })

  it('are not overwritten by an editor who read an older version', async () => {
    const made = await create()
    const put = (updatedAt: string | undefined, name: string): Promise<Answered<Dashboard & Problem>> =>
      send('PUT', `${path}/${made.id}`, { name, updated_at: updatedAt })
    const [first, second] = await Promise.all([put(made.updated_at, 'First'), put(made.updated_at, 'Second')])
    const [stored, refused] = first.status === 200 ? [first, second] : [second, first]
    expect([stored.status, refused.status]).to.deep.equal([200, 409])
    expect(refused.body).to.include({ code: 'dashboard-changed', field: 'updated_at' })
    expect(refused.body.detail).to.include(stored.body.updated_at).and.include('Load it again')
    expect((await send<Dashboard>('GET', `${path}/${made.id}`)).body.name).to.equal(stored.body.name)
    expect((await put(stored.body.updated_at, 'Third')).status).to.equal(200)
    expect((await put(stored.body.updated_at, 'Stale')).status).to.equal(409)
    expect((await put(undefined, 'Overwritten')).status).to.equal(200)
    expect(await put('yesterday', 'x')).to.have.nested.property('body.field', 'updated_at')
    await send('DELETE', `${path}/${made.id}`)
    expect((await put(made.updated_at, 'Gone')).body.code).to.equal('unknown-dashboard')
  })

  it('run the saved query of a tile with its parameters, once in the refresh time', async () => {
    const parameter = { name: 'n', type: 'number', value: '7' }
    const queryId = await save('clock', 'SELECT {{n}}::int AS n, clock_timestamp() AS at', parameter)
    const made = await create({ query_id: queryId }, { query_id: queryId, parameters: [{ ...parameter, value: '8' }] })
    const read = async (i: number, more = ''): Promise<Result> =>
      (await send<Result>('GET', `${path}/${made.id}/tiles/${made.tiles[i]?.id}${more}`)).body
    const first = await read(0)
    expect(first.results[0]?.['n']).to.equal(7)
    expect(first.expires_in).to.be.within(295, 300)
    expect((await read(1)).results[0]?.['n']).to.equal(8)
    expect(await read(0)).to.deep.include({ results: first.results, computed_at: first.computed_at })
    expect((await read(0, '?max_age=0')).results).to.not.deep.equal(first.results)
    const link = await publish(made)
    const [viewed, again] = await Promise.all([0, 1].map(() => view<Result>(`${link}/tiles/${made.tiles[0]?.id}`)))
    expect(viewed?.body.results)
      .to.deep.equal(again?.body.results)
      .and.deep.equal((await read(0)).results)
    await save('clock', 'SELECT 9 AS n')
    expect((await read(0)).results, 'a changed query').to.deep.equal([{ n: 9 }])
  })

  it('show titles and results to viewers, and nothing else', async () => {
    const queryId = await save('secret name', 'SELECT 1 AS n -- secret statement')
    const broken = await save('broken', 'SELECT secret_column FROM raw.blocks')
    const deleted = await save('deleted', 'SELECT 1')
    const made = await create(
      { query_id: queryId, title: 'Shown' },
      { query_id: queryId, width: 2 },
      { query_id: broken },
      { query_id: deleted },
    )
    await send('DELETE', `/api/v1/queries/${deleted}`)
    const link = await publish(made)
    const shown = await view<object>(link)
    expect(shown.body).to.deep.equal({
      name: 'Network',
      refresh_seconds: 300,
      tiles: ['Shown', 'secret name', 'broken', ''].map((title, i) => ({
        id: made.tiles[i]?.id,
        title,
        view: 'table',
        width: i === 1 ? 2 : 1,
      })),
    })
    const ok = await view<Result>(`${link}/tiles/${made.tiles[0]?.id}`)
    expect(Object.keys(ok.body).toSorted()).to.deep.equal([
      'column_types',
      'columns',
      'computed_at',
      'expires_in',
      'results',
      'row_count',
      'truncated',
      'truncated_by',
    ])
    for (const i of [2, 3]) {
      const failed = await view(`${link}/tiles/${made.tiles[i]?.id}`)
      expect(failed.body.code).to.equal('tile-failed')
      expect(JSON.stringify(failed.body)).to.not.match(/secret|column/)
    }
    const ofOwner = (i: number): Promise<Answered<Problem>> =>
      send('GET', `${path}/${made.id}/tiles/${made.tiles[i]?.id}`)
    expect((await ofOwner(2)).body.sql_state).to.equal('42703')
    expect((await ofOwner(3)).body.code).to.equal('query-deleted')
  })

  it('keep their link until it is revoked', async () => {
    const made = await create()
    const link = await publish(made)
    expect(await publish(made), 'a second time').to.equal(link)
    expect((await view(link)).status).to.equal(200)
    expect((await send<Dashboard>('DELETE', `${path}/${made.id}/link`)).body.link).to.equal(null)
    expect((await view(link)).body.code).to.equal('unknown-dashboard')
    expect(await publish(made), 'a new one').to.not.equal(link)
  })

  it('serve no cached result by a revoked, guessed or other link', async () => {
    const queryId = await save('shared', 'SELECT 1 AS n')
    const [made, other] = [await create({ query_id: queryId }), await create({ query_id: queryId, title: 'Other' })]
    const tile = made.tiles[0]?.id ?? ''
    const link = await publish(made)
    expect((await view<Result>(`${link}/tiles/${tile}`)).body.results).to.deep.equal([{ n: 1 }])
    const at = link.lastIndexOf('/') + 1
    const secret = link.slice(at)
    for (const guess of [secret.slice(1), `${secret}0`, '%25', '_'.repeat(32), made.id, '0'.repeat(32), 'A'.repeat(32)])
      expect((await view(`${link.slice(0, at)}${guess}/tiles/${tile}`)).status, guess).to.equal(404)
    expect((await view(`${link}/tiles/${other.tiles[0]?.id}`)).body.code, 'a tile of another').to.equal('unknown-tile')
    await send('DELETE', `${path}/${made.id}/link`)
    expect((await view(`${link}/tiles/${tile}`)).body.code, 'revoked').to.equal('unknown-dashboard')
    const second = await publish(made)
    expect((await view(`${link}/tiles/${tile}`)).body.code, 'replaced').to.equal('unknown-dashboard')
    await save('shared', 'SELECT secret_column FROM raw.blocks')
    expect((await view(`${second}/tiles/${tile}`)).body.code, 'changed after publishing').to.equal('tile-failed')
    await send('DELETE', `${path}/${made.id}`)
    expect((await view(`${second}/tiles/${tile}`)).body.code, 'deleted').to.equal('unknown-dashboard')
  })

  it('belong to the token', async () => {
    for (const [method, to] of [
      ['GET', path],
      ['GET', `${path}/00000000000000aa`],
      ['PUT', `${path}/00000000000000aa/link`],
      ['GET', `${path}/00000000000000aa/tiles/00000000`],
    ] as const)
      expect((await send(method, to, undefined, {})).status, `${method} ${to}`).to.equal(401)
    await db.pool.query(`
      INSERT INTO app.dashboards (id, owner, name, refresh_seconds, tiles, link) VALUES
        ('00000000000000aa', 'everybody', 'other', 30, '[]', '000000000000000000000000000000aa')`)
    expect((await send('GET', `${path}/00000000000000aa`)).status).to.equal(404)
    expect((await send('PUT', `${path}/00000000000000aa/link`)).status).to.equal(404)
    const other = await view('/api/v1/public/dashboards/000000000000000000000000000000aa')
    expect(other.status, 'a link of a former token').to.equal(404)
    await db.pool.query(`
      INSERT INTO app.saved_queries (id, owner, name, target, question, sql, parameters)
      VALUES ('00000000000000aa', 'everybody', 'other', 'indexer', '', 'SELECT 1', '[]')`)
    const made = await create({ query_id: '00000000000000aa' })
    const stolen = await send('GET', `${path}/${made.id}/tiles/${made.tiles[0]?.id}`)
    expect(stolen.body.code).to.equal('query-deleted')
  })

  it('run only what the gate and the read-only role allow', async () => {
    const statements = [
      ['SELECT link FROM app.dashboards', 'sql-relation'],
      ["SELECT 'DROP' AS word", 'sql-keyword'],
      ['SELECT 1; SELECT 2', 'sql-not-select'],
      ["SELECT set_config('a.b', 'c', false)", 'sql-function'],
    ] as const
    for (const [i, [sql, code]] of statements.entries()) {
      const made = await create({ query_id: await save(`hostile ${i}`, sql) })
      const tile = made.tiles[0]?.id
      expect((await send('GET', `${path}/${made.id}/tiles/${tile}`)).body.code, sql).to.equal(code)
      expect((await view(`${await publish(made)}/tiles/${tile}`)).body.code, sql).to.equal('tile-failed')
    }
  })

  it('refuse invalid input and unknown ids', async () => {
    const tile = { query_id: '5f2c9e0a17b3d684' }
    const bodies: readonly object[] = [
      {},
      { name: ' ' },
      { name: 'x'.repeat(101) },
      { name: '\0' },
      { name: 'a', refresh_seconds: 29 },
      { name: 'a', refresh_seconds: 86_401 },
      { name: 'a', owner: 'everybody' },
      { name: 'a', tiles: Array.from({ length: maxTiles + 1 }, () => tile) },
      {
        name: 'a',
        tiles: [
          { ...tile, id: '5b1c09ef' },
          { ...tile, id: '5b1c09ef' },
        ],
      },
      ...[
        { query_id: "' OR true" },
        { id: '../../..' },
        { width: 0 },
        { width: 4 },
        { width: 1.5 },
        { view: 'html' },
        { title: 'x'.repeat(101) },
        { title: '\uD800' },
        { sql: 'SELECT 1' },
        { parameters: [{ name: 'a', type: 'number', value: '1; DROP' }] },
      ].map((more) => ({ name: 'a', tiles: [{ ...tile, ...more }] })),
    ]
    for (const body of bodies)
      expect((await send('POST', path, body)).body.code, JSON.stringify(body).slice(0, 100)).to.equal('invalid-field')
    for (const id of ['%00', 'a%27--', '0000000000000000', 'x'.repeat(5000)]) {
      for (const to of [`${path}/${id}`, `${path}/${id}/tiles/00000000`, `/api/v1/public/dashboards/${id}`])
        expect((await send('GET', to)).status, to.slice(0, 60)).to.equal(404)
    }
    const made = await create()
    for (const id of ['%00', '__proto__', '00000000'])
      expect((await send('GET', `${path}/${made.id}/tiles/${id}`)).body.code).to.equal('unknown-tile')
    expect((await send('GET', `${path}/${made.id}/tiles/00000000?max_age=-1`)).status).to.equal(400)
  })

  it('are limited in size and number', async () => {
    const query = { query_id: '5f2c9e0a17b3d684' }
    expect((await create(...Array.from({ length: maxTiles }, () => query))).tiles).to.have.length(maxTiles)
    const parameters = [{ name: 'a', type: 'text', value: 'x'.repeat(1000) }]
    const bodyOf = (bytes: number): object => {
      const body = { name: 'a', tiles: Array.from({ length: 3 }, () => ({ ...query, parameters })), pad: '' }
      return { ...body, pad: 'x'.repeat(bytes - JSON.stringify(body).length) }
    }
    expect((await send('POST', path, bodyOf(64 * 1024))).status, 'an unknown field').to.equal(400)
    expect((await send('POST', path, bodyOf(64 * 1024 + 1))).status).to.equal(413)
    await db.pool.query(
      `INSERT INTO app.dashboards (id, owner, name, refresh_seconds, tiles)
       SELECT 'n' || n, owner, 'n', 30, '[]'
       FROM (SELECT owner, count(*)::int AS made FROM app.dashboards WHERE owner <> 'everybody' GROUP BY 1) AS o,
         generate_series(made + 1, $1 - 1) AS n`,
      [maxDashboards],
    )
    await create()
    expect((await send('POST', path, { name: 'one more' })).body.code).to.equal('dashboards-full')
    expect((await send<{ data: readonly object[] }>('GET', path)).body.data).to.have.length(maxDashboards)
  })

  it('limit the requests of viewers, each network by itself', async () => {
    const link = '/api/v1/public/dashboards/00000000000000000000000000000000'
    const remote = { 'X-Forwarded-For': '203.0.113.7' }
    const statuses: number[] = []
    while (statuses.length < 400 && statuses.at(-1) !== 429) {
      const many = await Promise.all(Array.from({ length: 40 }, () => send('GET', link, undefined, remote)))
      statuses.push(...many.map(({ status }) => status).toSorted((a, b) => a - b))
    }
    expect(statuses.slice(0, 200)).to.satisfy((all: number[]) => all.every((status) => status === 404))
    expect(statuses.at(-1)).to.equal(429)
    expect(Number((await send('GET', link, undefined, remote)).headers.get('retry-after') ?? 1)).to.be.at.least(1)
    expect((await view(link)).status, 'a local program').to.equal(404)
  })
})
