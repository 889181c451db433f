import { expect } from 'chai'
import { ApiError } from '../../../src/platform/errors.ts'
import { clients } from './support/mcp-clients.ts'
import type { ConnectedClient } from './support/mcp-clients.ts'
import { listTools, runMcp, throughProxy } from './support/running-mcp.ts'
import type { RunningMcp } from './support/running-mcp.ts'
import { oneRow, scriptedQueries } from './support/scripted-queries.ts'

describe('MCP server metrics', () => {
  let mcp: RunningMcp
  let client: ConnectedClient

  before(async () => {
    mcp = await runMcp({
      queries: scriptedQueries({
        runSql: (_target, sql) => {
          if (sql === 'refused') throw new ApiError(400, 'sql-failed', 'no such column')
          if (sql === 'failed') throw new ApiError(503, 'sql-unavailable', 'away')
          return Promise.resolve(oneRow)
        },
      }),
    })
    const connected = await clients.at(-1)?.connect(mcp.url)
    if (connected === undefined) throw new Error('no client')
    client = connected
  })
  after(async () => {
    await client.close()
    await mcp.stop()
  })

  it('count calls by tool and outcome', async () => {
    for (const sql of ['SELECT 1', 'SELECT 2', 'refused', 'failed', '']) await client.call('run_indexer_sql', { sql })
    const { values } = await mcp.metrics.mcpCallSeconds.get()
    const counts = values
      .filter(({ metricName }) => metricName?.endsWith('_count'))
      .map(({ labels: { outcome }, value }) => `${String(outcome)} ${value}`)
    expect(counts).to.have.members(['done 2', 'refused 2', 'failed 1'])
    expect((await mcp.metrics.mcpCallsRunning.get()).values).to.deep.equal([
      { value: 0, labels: { tool: 'run_indexer_sql' } },
    ])
  })

  it('count requests that are rejected before the protocol, by reason', async () => {
    await mcp.post(listTools, throughProxy)
    await mcp.post(listTools, { Origin: 'https://evil.example' })
    const { values } = await mcp.metrics.mcpRefused.get()
    expect(values.filter(({ labels }) => labels.reason !== 'method-not-allowed')).to.deep.equal([
      { value: 1, labels: { reason: 'key-required' } },
      { value: 1, labels: { reason: 'origin-not-allowed' } },
    ])
  })
})
