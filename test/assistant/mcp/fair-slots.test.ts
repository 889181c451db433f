import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { pino } from 'pino'
import { readConfig } from '../../../src/config.ts'
import { Lifecycle, Shared } from '../../../src/platform/service.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { Terminal } from '../../../src/platform/terminal.ts'
import { startMcp } from '../../../src/assistant/mcp/service.ts'
import { createTestDatabase } from '../../support/database.ts'
import { AlertEndpoints } from '../../../src/webhooks/alert-endpoints.ts'
import { webhookStores } from '../../../src/webhooks/webhook-stores.ts'
import type { TestDatabase } from '../../support/database.ts'
import { messageHeaders } from './support/running-mcp.ts'

const slowSql = 'SELECT count(*) AS crowding FROM generate_series(1, 100000000000) AS n'

describe('MCP statement slots per client', () => {
  let database: TestDatabase
  let folder: string
  const lifecycle = new Lifecycle(pino({ level: 'silent' }))
  const shared = new Shared()
  before(async () => {
    database = await createTestDatabase()
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-mcp-slots-'))
    const config = readConfig(
      {
        CHROMA_PERSIST_DIR: folder,
        HOST: '127.0.0.1',
        MCP_PORT: '0',
        MCP_AUTH_ENABLED: 'false',
        ASK_CONCURRENCY: '2',
      },
      {},
    )
    await startMcp(
      {
        config,
        databaseUrl: database.url,
        pool: database.pool,
        log: pino({ level: 'silent' }),
        metrics: new Metrics(),
        lifecycle,
        terminal: new Terminal(),
        shared,
      },
      new AlertEndpoints(webhookStores(database.pool, [])),
    )
  })
  after(async () => {
    await lifecycle.stop('the test is over')
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })

  /** Response text for a client behind a proxy. */
  async function run(sql: string, client: string, signal?: AbortSignal): Promise<string> {
    const params = { name: 'run_indexer_sql', arguments: { sql } }
    const response = await fetch(`http://127.0.0.1:${shared.mcpPort}/mcp`, {
      method: 'POST',
      headers: { ...messageHeaders, 'X-Forwarded-For': client },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      ...(signal === undefined ? {} : { signal }),
    })
    return await response.text()
  }

  it('run a statement of a second client while a first client has 200 slow ones', async () => {
    const disconnect = new AbortController()
    const crowd = Array.from({ length: 200 }, (_, index) =>
      run(slowSql, `2001:db8:1:2::${(index + 1).toString(16)}`, disconnect.signal),
    )
    const settled = Promise.allSettled(crowd)
    // The queue of the first client is full.
    expect(await Promise.race(crowd)).to.include('too-many-statements')
    for (const client of ['203.0.113.7', '2001:db8:1:3::1']) {
      expect(await run('SELECT 42 AS answer', client), client).to.match(/answer\\?":42/)
    }
    disconnect.abort()
    // One ran and 100 queued; the others were rejected.
    expect((await settled).filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(99)
  })
})
