import { expect } from 'chai'
import { alertLimits } from '../../../src/assistant/query/alerts/alert-store.ts'
import { mailLimits } from '../../../src/assistant/query/alerts/alert-mails.ts'
import type { Mail } from '../../../src/platform/mail/mail-sender.ts'
import { ApiError } from '../../../src/platform/errors.ts'
import { addressList, clientReader, loopbackNetworks } from '../../../src/platform/limits/clients.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { goodKey, startKeyBackend } from './support/key-backend.ts'
import type { KeyBackend } from './support/key-backend.ts'
import { runMcp, throughProxy } from './support/running-mcp.ts'
import type { RunMcpOptions, RunningMcp } from './support/running-mcp.ts'
import { oneRow, scriptedQueries } from './support/scripted-queries.ts'

interface Result {
  readonly isError?: boolean
  readonly structuredContent: {
    readonly alert: { readonly id: string } | null
    readonly alerts: readonly { readonly id: string; readonly name: string }[]
    readonly secret: string | null
    readonly status: string | null
    readonly error: string | null
    readonly error_code: string | null
  }
}

const developer = { ...throughProxy, Authorization: `Bearer ${goodKey}` }
const alert = {
  name: 'Block 5',
  sql: 'SELECT max(height) FROM raw.blocks',
  condition: { kind: 'compare', operator: '>', number: '5' },
  url: 'https://93.184.216.34/hook',
}

describe('alert tools of the MCP server', () => {
  let database: TestDatabase
  let backend: KeyBackend
  let mcp: RunningMcp
  before(async () => {
    database = await createTestDatabase()
    backend = await startKeyBackend()
  })
  beforeEach(() => database.pool.query('DELETE FROM app.alerts; DELETE FROM app.alert_mails'))
  afterEach(() => mcp.stop())
  after(async () => {
    await backend.stop()
    await database.drop()
  })

  const run = async (options: Partial<RunMcpOptions> = {}): Promise<void> => {
    mcp = await runMcp({ queries: scriptedQueries(), pool: database.pool, backendUrl: backend.url, ...options })
  }
  const call = async (name: string, args: object = {}, headers: Record<string, string> = {}): Promise<Result> => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
    const text = await (await mcp.post(message, headers)).text()
    const { result } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text) as { readonly result: Result }
    return result
  }
  const names = async (headers: Record<string, string> = {}): Promise<readonly string[]> =>
    (await call('list_alerts', {}, headers)).structuredContent.alerts.map(({ name }) => name)

  it('create, list and delete alerts of local programs, as Ask does without API_TOKEN', async () => {
    await run()
    const created = await call('create_alert', alert)
    expect(created.structuredContent).to.include({ error: null })
    expect(created.structuredContent.secret).to.match(/^whsec_/)
    expect(await names()).to.deep.equal(['Block 5'])
    expect(JSON.stringify(await call('list_alerts')))
      .to.include('93.184.216.34')
      .and.not.include('/hook')
    const { rows } = await database.pool.query<{ owner: string }>('SELECT owner FROM app.alerts')
    expect(rows).to.deep.equal([{ owner: 'everybody' }])
    const id = created.structuredContent.alert?.id
    expect((await call('delete_alert', { id })).structuredContent).to.include({ status: 'deleted', error: null })
    expect((await call('delete_alert', { id })).structuredContent.error_code).to.equal('unknown-alert')
    expect(await names()).to.deep.equal([])
  })

  it('are e-mailed, if there is a mail server, and listed without the address', async () => {
    const mails: Mail[] = []
    const { url: _url, ...rest } = alert
    await run()
    const mailed = { ...rest, email: 'ann@example.com' }
    expect((await call('create_alert', mailed)).structuredContent).to.include({ error_code: 'email-unavailable' })
    await mcp.stop()
    await run({
      mail: { send: (mail) => Promise.resolve(void mails.push(mail)) },
      admission: { clientOf: clientReader(addressList(loopbackNetworks)) },
    })
    const created = await call('create_alert', mailed, developer)
    expect(created.structuredContent).to.deep.include({ error: null, secret: null })
    expect(created.structuredContent.alert).to.include({ state: 'unconfirmed', email: 'ann@example.com' })
    expect(JSON.stringify(await call('list_alerts', {}, developer)))
      .to.include('a…@example.com')
      .and.not.include('ann@')
    for (let i = 1; i < mailLimits.confirmationsPerClient; i++) await call('create_alert', mailed, developer)
    expect((await call('create_alert', mailed, developer)).structuredContent.error_code).to.equal(
      'too-many-confirmations',
    )
    const local = await call('create_alert', mailed)
    expect(local.structuredContent.error_code).to.equal(null)
    await mcp.stop()
    expect(mails.map(({ to }) => to)).to.deep.equal(Array.from({ length: 3 }, () => 'ann@example.com'))
  })

  it('keep the alerts of a developer apart', async () => {
    await run()
    await call('create_alert', { ...alert, name: 'Local' })
    const created = await call('create_alert', { ...alert, name: 'Developer' }, developer)
    expect(await names(developer)).to.deep.equal(['Developer'])
    expect(await names()).to.deep.equal(['Local'])
    const id = created.structuredContent.alert?.id
    expect((await call('delete_alert', { id })).structuredContent.error_code).to.equal('unknown-alert')
    expect(await names(developer)).to.have.lengthOf(1)
  })

  it('are refused to callers without an identity', async () => {
    await run({ admission: { isKeyRequired: false } })
    for (const [name, args] of [
      ['create_alert', alert],
      ['list_alerts', {}],
      ['delete_alert', { id: '0123456789abcdef' }],
    ] as const)
      expect((await call(name, args, throughProxy)).structuredContent.error_code, name).to.equal('alerts-need-key')
    expect((await database.pool.query('SELECT FROM app.alerts')).rowCount).to.equal(0)
  })

  it('refuse a statement that fails, an unsuitable condition, a private URL, and too many', async () => {
    await run({
      queries: scriptedQueries({
        runSql: (_target, sql) => {
          if (sql.includes('raw')) return Promise.resolve({ ...oneRow, rows: [[sql.includes('height') ? '7' : 'x']] })
          throw new ApiError(400, 'sql-failed', 'no such column')
        },
      }),
    })
    const codeOf = async (change: object): Promise<string | null> =>
      (await call('create_alert', { ...alert, ...change })).structuredContent.error_code
    expect(await codeOf({ sql: 'SELECT nothing' })).to.equal('sql-failed')
    expect(await codeOf({ sql: 'SELECT id FROM raw.blocks' })).to.equal('invalid-field')
    expect(await codeOf({ url: 'http://127.0.0.1/hook' })).to.be.a('string')
    expect(await codeOf({ interval_seconds: 59 })).to.equal('invalid-field')
    expect(await codeOf({ condition: { kind: 'sometimes' } })).to.equal('invalid-field')
    for (let i = 0; i < alertLimits.perOwner; i++) expect(await codeOf({})).to.equal(null)
    expect(await codeOf({})).to.equal('alerts-full')
  })
})
