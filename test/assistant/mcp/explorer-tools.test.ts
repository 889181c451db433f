import { expect } from 'chai'
import { z } from 'zod'
import { measureNames, measureOf } from '../../../src/measures/measures.ts'
import { readApiSamples } from '../../support/api-samples.ts'
import type { ApiSamples } from '../../support/api-samples.ts'
import { exploredChain } from '../../support/explored-chain.ts'
import type { ExploredChain } from '../../support/explored-chain.ts'
import { readRepositoryFile } from '../../support/repository.ts'
import { runPython, works } from '../../python/python-run.ts'
import { clients } from './support/mcp-clients.ts'
import type { ConnectedClient } from './support/mcp-clients.ts'
import { runMcp } from './support/running-mcp.ts'
import type { RunningMcp } from './support/running-mcp.ts'
import { oneRow, scriptedQueries } from './support/scripted-queries.ts'

type Fields = Readonly<Record<string, unknown>>

describe('explorer tools of the MCP server', () => {
  let chain: ExploredChain
  let samples: ApiSamples
  let mcp: RunningMcp
  const connected: ConnectedClient[] = []

  before(async () => {
    chain = await exploredChain()
    samples = await readApiSamples(chain.database.pool)
    mcp = await runMcp({ queries: scriptedQueries(), backendUrl: `http://${chain.api.host}` })
    for (const { connect } of clients) connected.push(await connect(mcp.url))
  })
  after(async () => {
    for (const client of connected) await client.close()
    await mcp.stop()
  })

  const call = async (name: string, args: Fields): Promise<Fields> => {
    const results = []
    for (const client of connected) results.push((await client.call(name, args)).structuredContent)
    for (const result of results) expect(result).to.deep.equal(results[0])
    return results[0] ?? {}
  }
  const fromApi = async (path: string): Promise<Fields> => {
    const { data } = (await (await fetch(`http://${chain.api.host}${path}`)).json()) as { data: Fields[] }
    return data[0] ?? {}
  }

  it('return a transaction as the explorer does, with its transfers in words', async () => {
    const shown = await fromApi(`/flow/transaction/${samples.transaction}`)
    const { transaction, error } = await call('get_transaction', { id: `0x${samples.transaction?.toUpperCase()}` })
    expect(error).to.equal(null)
    const found = transaction as Fields
    for (const field of ['id', 'block_height', 'timestamp', 'payer', 'fee', 'gas_used', 'event_count'])
      expect(found[field], field).to.deep.equal(shown[field])
    expect(found['status']).to.equal(shown['execution_status'])
    const moves = shown['ft_transfers'] as readonly Fields[]
    const transfers = found['transfers'] as readonly Fields[]
    const tokens = transfers.filter(({ nft_id: id }) => id === null)
    expect(tokens.map(({ amount }) => amount)).to.deep.equal(moves.map(({ amount }) => amount))
    expect(tokens[0]?.['text']).to.match(/^\d+\.\d+ \w+ \w.* (from|to) 0x[0-9a-f]{16}/)
    expect(transfers.some(({ nft_id: id }) => id !== null)).to.equal(true)
    expect(JSON.stringify(found)).to.have.length.below(100_000)
  })

  it('select a system transaction by height', async () => {
    const { rows } = await chain.database.pool.query<{ id: string }>(
      "select encode(id, 'hex') as id from raw.transactions where block_height = 200 and payer_address is null limit 1",
    )
    const { transaction } = await call('get_transaction', { id: rows[0]?.id, block_height: 200 })
    expect(transaction).to.include({ block_height: 200 })
  })

  it('return an account with balances, keys and contracts', async () => {
    const shown = await fromApi(`/flow/account/${samples.account}`)
    const { account } = await call('get_account', { address: samples.account })
    const found = account as Fields
    expect(found).to.include({
      address: samples.account,
      flow_balance: shown['balance'],
      key_count: shown['key_count'],
      contract_count: shown['contract_count'],
    })
    expect(found['keys']).to.have.length(shown['key_count'] as number)
    const [first] = found['tokens'] as readonly Fields[]
    expect(first?.['balance']).to.match(/^\d+(\.\d+)?$/)
    expect(first?.['token']).to.match(/^A\.[0-9a-f]{16}\.\w+$/)
    expect(found['nft_collections']).to.not.be.empty
  })

  it('find the account that owns an EVM address', async () => {
    const { rows } = await chain.database.pool.query<{ coa: string; owner: string }>(
      'select coa_address as coa, flow_address as owner from app.coa_accounts where flow_address is not null limit 1',
    )
    const { account } = await call('get_account', { address: rows[0]?.coa })
    expect(account).to.include({ address: rows[0]?.owner })
  })

  it('return metrics as the explorer and the daily statistics do', async () => {
    for (const name of measureNames) {
      const { dimension } = measureOf(name)
      const { rows } = await chain.database.pool.query<{ name: string }>(
        'select name from app.hourly_activity where kind = $1 order by activity_count desc, name limit 1',
        [dimension],
      )
      const key = rows[0]?.name
      const args = { name, from: '2026-03-13', ...(key === undefined ? {} : { key }) }
      const { series } = await call('get_metric', args)
      const shown = await fromApi(
        `/insights/metrics/${name}?from=2026-03-13${key === undefined ? '' : `&key=${encodeURIComponent(key)}`}`,
      )
      const { title: _, dimension: __, ...expected } = shown
      expect(series, name).to.deep.equal({ ...expected, truncated: false })
    }
    const { data: days } = (await (await fetch(`http://${chain.api.host}/insights/daily?from=2026-03-13`)).json()) as {
      data: Fields[]
    }
    const { series } = await call('get_metric', { name: 'active_accounts', from: '2026-03-13' })
    const points = (series as Fields)['points'] as readonly Fields[]
    expect(points.map(({ value }) => value)).to.deep.equal(days.map((day) => String(day['active_accounts'])))
  })

  it('return the newest 400 values of a metric', async () => {
    const range = { name: 'fees', to: '2026-03-15' }
    const whole = (await call('get_metric', { ...range, from: '2025-02-09' }))['series'] as Fields
    expect(whole).to.include({ truncated: false })
    const cut = (await call('get_metric', { ...range, from: '2025-02-08' }))['series'] as Fields
    expect(cut).to.include({ truncated: true, from: '2025-02-08' })
    for (const { points } of [whole, cut]) expect(points).to.have.length(400)
    expect(cut['points']).to.deep.equal(whole['points'])
  })

  it('say what to do about unknown ids, addresses and a missing API', async () => {
    const unknown: readonly (readonly [tool: string, args: Fields, code: string, remedy: RegExp])[] = [
      ['get_transaction', { id: 'ab'.repeat(32) }, 'unknown-transaction', /Check the id/],
      ['get_transaction', { id: 'ab' }, 'invalid-field', /64 hex digits/],
      ['get_account', { address: '0xf8d6e0586b0a20ff' }, 'unknown-account', /Check the address/],
      ['get_account', { address: `0x${'ab'.repeat(20)}` }, 'unknown-coa', /run_indexer_sql/],
      ['get_account', { address: 'me' }, 'invalid-field', /16 hex digits/],
      ['get_metric', { name: 'price' }, 'invalid-field', /must be a metric/],
      ['get_metric', { name: 'fees', from: 'today' }, 'invalid-field', /a day such as/],
      ['get_metric', { name: 'active_accounts', grain: 'week' }, 'invalid-parameter', /must be one of day/],
      ['get_metric', { name: 'token_volume' }, 'invalid-parameter', /must be a token/],
    ]
    for (const [tool, args, code, remedy] of unknown) {
      const { error, error_code: found } = await call(tool, args)
      expect(found, JSON.stringify(args)).to.equal(code)
      expect(error).to.match(remedy)
    }
    const alone = await runMcp({ queries: scriptedQueries() })
    const client = await clients[0]?.connect(alone.url)
    const result = await client?.call('get_account', { address: '0xf8d6e0586b0a20c7' })
    expect(result).to.include({ isError: true })
    expect(result?.structuredContent).to.deep.include({ account: null, error_code: 'explorer-unavailable' })
    expect(result?.structuredContent?.['error']).to.match(/BACKEND_URL.*run_indexer_sql/)
    await client?.close()
    await alone.stop()
  })
})

describe('server.json', () => {
  it('follows the MCP registry and has the version of the package', () => {
    const { version } = JSON.parse(readRepositoryFile('package.json')) as { version: string }
    const listing = z
      .object({
        $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
        name: z
          .string()
          .max(200)
          .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
        title: z.string().max(100),
        description: z.string().min(1).max(100),
        version: z.literal(version),
        remotes: z.tuple([z.looseObject({ type: z.literal('streamable-http'), url: z.literal('https://{host}/mcp') })]),
      })
      .strict()
      .safeParse(JSON.parse(readRepositoryFile('server.json')))
    expect(listing.error?.message).to.equal(undefined)
  })
})

describe('the Python example of the documentation', () => {
  it('runs a statement', async function () {
    // pip install mcp
    if (!(await works(['-c', 'from mcp import Client']))) return this.skip()
    const [, program = ''] = /```python\n([^]*?)```/.exec(readRepositoryFile('docs/query-and-mcp.md')) ?? []
    const mcp = await runMcp({ queries: scriptedQueries({ runSql: () => Promise.resolve(oneRow) }) })
    const output = await runPython(['-c', program.replace('http://127.0.0.1:8085/mcp', mcp.url)])
    expect(output).to.include("False [{'height': '9007199254740993'")
    await mcp.stop()
  })
})
