import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import type { EmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'

/** Runs for minutes without a forbidden function. */
const endless = 'select count(*) from generate_series(1, 60000) a, generate_series(1, 60000) b'

describe('query service during a database restart', () => {
  let folder: string
  let server: EmbeddedPostgres
  let ask: FlowfarmProcess

  const startServer = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({
      dataFolder: folder,
      wait: false,
      log: () => undefined,
      settings: { fsync: 'off', shared_buffers: '32MB' },
    })

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-ask-restart-'))
    await chmod(folder, 0o711)
    server = await startServer()
    ask = new FlowfarmProcess(['ask'], {
      DB_URL: server.url,
      HOST: '127.0.0.1',
      ASK_PORT: '0',
      CHROMA_PERSIST_DIR: join(folder, 'pairs'),
    })
  })

  after(async () => {
    await ask.end('SIGTERM')
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  it('reports the outage to waiting clients, and resumes', async () => {
    const origin = `http://127.0.0.1:${String((await ask.logged(/Query service listening/))['port'])}`
    const run = async (sql: string): Promise<{ status: number; code: unknown; text: string }> => {
      const response = await fetch(`${origin}/api/v1/run_sql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ sql }),
      })
      const text = await response.text()
      return { status: response.status, code: (JSON.parse(text) as { code?: unknown }).code, text }
    }
    expect((await run('select 1')).status).to.equal(200)

    const cutOff = run(endless)
    const pool = createPool(server.url, { max: 1 })
    const underWay = async (): Promise<number> =>
      (
        await pool.query(
          "select from pg_stat_activity where query like '%generate_series(1, 60000)%' and state = 'active' and pid <> pg_backend_pid()",
        )
      ).rowCount ?? 0
    while ((await underWay()) === 0) await pool.query('select pg_sleep(0.02)')
    await pool.end()
    await server.stop()
    const reported = await cutOff
    expect([reported.status, reported.code], reported.text).to.deep.equal([503, 'sql-unavailable'])
    expect(reported.text).to.not.include(folder)
    const away = await run('select 1')
    expect([away.status, away.code], away.text).to.deep.equal([503, 'sql-unavailable'])
    expect((await fetch(`${origin}/health`)).status).to.equal(200)

    server = await startServer()
    let back = await run('select 1')
    while (back.status === 503) back = await run('select 1')
    expect(back.status, back.text).to.equal(200)
  })
})
