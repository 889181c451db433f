import { expect } from 'chai'
import { alertLimits } from '../../../../src/assistant/query/alerts/alert-store.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { Answered, Problem, RunningAsk } from '../support/running-ask.ts'

const token = { Authorization: 'Bearer secret' }
const url = 'https://93.184.216.34/hook'
const compare = { kind: 'compare', operator: '>', number: '5' }

describe('alerts over HTTP', () => {
  let db: TestDatabase
  let ask: RunningAsk
  before(async () => {
    db = await createTestDatabase()
    ask = await runAsk(db, { API_TOKEN: 'secret', LLM_PROVIDER: 'scripted' })
  })
  after(async () => {
    await ask.stop()
    await db.drop()
  })

  interface Shown {
    readonly id: string
    readonly name: string
    readonly secret: string
    readonly state: string
    readonly paused_reason: string | null
  }

  const create = (fields: object = {}): Promise<Answered<Shown & Problem>> =>
    ask.post('/api/v1/alerts', { name: 'a', sql: 'SELECT 1 AS n', condition: { kind: 'rows' }, url, ...fields }, token)
  const list = async (): Promise<readonly Shown[]> =>
    (await ask.get<{ data: readonly Shown[] }>('/api/v1/alerts', token)).body.data
  const act = (id: string, action: string): Promise<Answered<Shown & Problem>> =>
    ask.post(`/api/v1/alerts/${id}/${action}`, {}, token)
  const remove = async (id: string): Promise<number> =>
    (await ask.fetch(`/api/v1/alerts/${id}`, { method: 'DELETE', headers: token })).status

  it('are created, listed, paused, resumed, run and deleted', async () => {
    const { status, body } = await create({ name: ' First ' })
    expect(status).to.equal(200)
    expect(body).to.include({ name: 'First', state: 'active', paused_reason: null })
    expect(body.secret).to.match(/^whsec_/)
    const [listed] = await list()
    expect(listed).to.not.have.property('secret')
    expect((await act(body.id, 'run')).status).to.equal(200)
    expect((await act(body.id, 'pause')).body).to.include({ state: 'paused', paused_reason: 'owner' })
    expect((await act(body.id, 'run')).body.code).to.equal('alert-paused')
    expect((await act(body.id, 'resume')).body.state).to.equal('active')
    const { body: read } = await ask.get(`/api/v1/alerts/${body.id}`, token)
    expect(read).to.deep.include({ runs: [], deliveries: [] })
    expect(await remove(body.id)).to.equal(200)
    expect(await remove(body.id)).to.equal(404)
    expect((await db.pool.query('SELECT 1 FROM app.webhook_endpoints')).rowCount).to.equal(0)
  })

  it('belong to the token', async () => {
    expect((await ask.get('/api/v1/alerts')).status).to.equal(401)
    const { body } = await create()
    await db.pool.query(`UPDATE app.alerts SET owner = 'everybody'`)
    expect(await list()).to.deep.equal([])
    for (const id of [body.id, '../queries', 'x', '0'.repeat(16)]) {
      const path = `/api/v1/alerts/${encodeURIComponent(id)}`
      expect((await ask.get(path, token)).body.code, id).to.equal('unknown-alert')
      expect((await act(encodeURIComponent(id), 'resume')).body.code, id).to.equal('unknown-alert')
      expect(await remove(encodeURIComponent(id)), id).to.equal(404)
    }
    await db.pool.query('DELETE FROM app.alerts')
  })

  it('refuse private receivers, statements that fail and conditions that do not suit them', async () => {
    for (const [fields, code] of [
      [{ url: 'http://127.0.0.1:8080/admin' }, 'invalid-field'],
      [{ url: 'https://169.254.169.254/latest/meta-data' }, 'invalid-field'],
      [{ url: 'http://93.184.216.34/' }, 'invalid-field'],
      [{ url: 'file:///etc/passwd' }, 'invalid-field'],
      [{ url: 'x' }, 'invalid-field'],
      [{ url: `https://example.com/${'x'.repeat(2000)}` }, 'invalid-field'],
      [{ sql: 'SELECT * FROM app.alerts' }, 'sql-relation'],
      [{ sql: 'DELETE FROM app.prices' }, 'sql-keyword'],
      [{ sql: 'SELECT {{a}}' }, 'missing-parameter'],
      [{ sql: `SELECT 'x' AS n`, condition: compare }, 'invalid-field'],
      [{ condition: { ...compare, number: '1e9' } }, 'invalid-field'],
      [{ condition: { ...compare, number: 5 } }, 'invalid-field'],
      [{ condition: { ...compare, operator: 'LIKE' } }, 'invalid-field'],
      [{ condition: { kind: 'compare' } }, 'invalid-field'],
      [{ condition: { kind: 'rows', number: '5' } }, 'invalid-field'],
      [{ condition: { kind: 'other' } }, 'invalid-field'],
      [{ interval_seconds: 59 }, 'invalid-field'],
      [{ interval_seconds: 86_401 }, 'invalid-field'],
      [{ repeat_hours: 0 }, 'invalid-field'],
      [{ repeat_hours: 721 }, 'invalid-field'],
      [{ name: 'x'.repeat(101) }, 'invalid-field'],
      [{ name: ' ' }, 'invalid-field'],
      [{ name: '\0' }, 'invalid-field'],
      [{ question: '\uD800' }, 'invalid-field'],
      [{ owner: 'everybody' }, 'invalid-field'],
    ] as const)
      expect((await create(fields)).body.code, JSON.stringify(fields).slice(0, 200)).to.equal(code)
    expect(await list()).to.deep.equal([])
    const { status, body } = await create({ name: 'x'.repeat(100), interval_seconds: 60, repeat_hours: 720 })
    expect(status, 'at the limits').to.equal(200)
    await remove(body.id)
  })

  it('are limited per owner and in total', async () => {
    const insert = (owner: string, count: number): Promise<unknown> =>
      db.pool.query(
        `INSERT INTO app.alerts (id, owner, name, target, question, sql, condition, interval_seconds, url, subscription_id)
         SELECT md5($1 || n), $1, 'n', 'indexer', '', 'SELECT 1', '{"kind": "rows"}', 60, 'https://example.com', 0
         FROM generate_series(1, $2) AS n`,
        [owner, count],
      )
    const { body: own } = await create()
    const { rows } = await db.pool.query<{ owner: string }>('SELECT owner FROM app.alerts')
    await insert(rows[0]?.owner ?? '', alertLimits.perOwner - 2)
    const { body: last } = await create()
    expect(await list()).to.have.length(alertLimits.perOwner)
    expect((await create()).body).to.include({ status: 409, code: 'alerts-full' })
    await remove(last.id)
    await insert('other', alertLimits.total - alertLimits.perOwner + 1)
    expect((await create()).body.detail).to.contain(`all users reached (${alertLimits.total})`)
    await remove(own.id)
    expect((await create()).status).to.equal(200)
  })

  it('are proposed from a question', async () => {
    const propose = (question: string): Promise<Answered<Problem>> =>
      ask.post('/api/v1/alerts/propose', { question }, token)
    const { body } = await propose('Tell me when the newest indexed block is above 200 million, every 2 minutes')
    expect(body).to.deep.include({
      name: 'The newest indexed block is above 200 million',
      condition: { kind: 'compare', operator: '>', number: '200000000' },
      interval_seconds: 120,
      error: null,
    })
    expect(body).to.have.property('sql').that.contains('raw.blocks')
    expect((await propose('Tell me when pigs fly')).body.code).to.equal('no-model')
    expect((await propose(' ')).body.code).to.equal('invalid-field')
    expect((await propose('x'.repeat(4001))).body.code).to.equal('invalid-field')
  })
})
