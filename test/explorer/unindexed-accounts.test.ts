import { expect } from 'chai'
import type { Coa } from '../../src/explorer/accounts/schema.ts'
import type { List } from '../../src/explorer/paging/pages.ts'
import { blockOf, storeBlocks } from '../../src/ingest/blocks.test-support.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { ScriptNode } from '../support/script-node.ts'
import type { Cdc } from '../support/script-node.ts'

const coa = '000000000000000000000002f239b1ccbadc1d52'
const stranger = '0000000000000000000000020000000000000001'
const owner = '0xf8d6e0586b0a20c7'
const accountOf = (n: number): string => `0x18eb4ee6b3c0${n.toString(16).padStart(4, '0')}`

describe('accounts beyond the indexed blocks', () => {
  let database: TestDatabase
  let chain: ScriptNode
  let api: RunningApi
  /** Accounts of each call. */
  const asked: string[][] = []

  before(async () => {
    database = await createTestDatabase()
    // Forty signers deposit; the owner calls once.
    const heights = Array.from({ length: 41 }, (_, i) => i + 1)
    for (const height of heights) {
      const authorizer = height === 20 ? owner : accountOf(height)
      await storeBlocks(database.pool, [
        blockOf(height, {
          transactions: [{ body: { authorizers: [Buffer.from(authorizer.slice(2), 'hex')] }, result: {} }],
        }),
      ])
    }
    await database.pool.query(
      `create table app.evm_tx_hashes_p0 partition of app.evm_tx_hashes for values from (0) to (1000000)`,
    )
    await database.pool.query(
      `
      insert into app.evm_tx_hashes (block_height, tx_index, event_index, tx_id, evm_hash, evm_from, evm_to, evm_value,
        evm_gas_used, evm_status)
      select n, 0, 0, repeat('a', 64), lpad(n::text, 64, '0'),
        case n when 20 then $1 else '1111111111111111111111111111111111111111' end,
        case n when 20 then '1111111111111111111111111111111111111111' else $1 end, 1, 21000, 1
      from generate_series(1, 41) n`,
      [coa],
    )
    chain = await ScriptNode.start({
      script: ({ args: [accounts] }) => {
        const addresses = ((accounts?.value ?? []) as Cdc[]).map(({ value }) => String(value))
        asked.push(addresses)
        const value = addresses.map((address) => ({
          type: 'Optional',
          value: address === owner ? { type: 'String', value: coa } : null,
        }))
        return { type: 'Array', value }
      },
    })
    api = await runApi(database.url, { nodes: [chain.endpoint], server: { network: () => 'emulator' } })
  })

  after(async () => {
    await api.stop()
    await chain.stop()
    await database.drop()
  })

  it('own COAs by the chain, among the first and last signers', async () => {
    const mapping = {
      coa_address: `0x${coa}`,
      flow_address: owner,
      owner_evidence: 'storage',
      transaction_id: null,
      block_height: null,
      timestamp: null,
    }
    for (const address of [coa, owner]) {
      expect((await api.json<List<Coa>>(`/flow/coa/${address}`)).data, address).to.deep.equal([mapping])
    }
    expect(asked[0]).to.have.members([1, 2, 3, 39, 40, 41].map(accountOf).concat(owner))
    const { data } = await api.json<{ data: { flow_address: string }[] }>(`/flow/evm/address/${coa}`)
    expect(data[0]?.flow_address).to.equal(owner)
    const { data: preview } = await api.json<{ data: { link: object } }>(`/flow/search/preview?q=0x${coa}`)
    expect(preview.link).to.deep.equal({ flow_address: owner, coa_address: `0x${coa}` })
  })

  it('answer for their COA on routes of an account', async () => {
    for (const rest of ['/ft', '/transaction', '/labels']) {
      expect(await api.json(`/flow/account/0x${coa}${rest}`), rest).to.deep.equal(
        await api.json(`/flow/account/${owner}${rest}`),
      )
    }
  })

  it('own no COA without a transaction, and no other addresses, without a call', async () => {
    const before = asked.length
    for (const address of [stranger, '11'.repeat(20)]) {
      expect((await api.get(`/flow/coa/${address}`)).status).to.equal(404)
      expect((await api.get(`/flow/account/0x${address}/ft`)).status).to.equal(404)
    }
    expect(asked).to.have.length(before)
  })

  it('are known by their transfers while no access node responds', async () => {
    const [receiver, unknown] = ['0xe5a8b7f23e8b548f', '0xee82856bf20e2aa6']
    await database.pool.query(
      'create table app.ft_transfers_p0 partition of app.ft_transfers for values from (0) to (1000000)',
    )
    await database.pool.query(
      `insert into app.ft_transfers values (9, 0, 0, 0, 'A.0ae53cb6e3f42a79.FlowToken', null, $1, 1, 'mint')`,
      [receiver],
    )
    const silent = await runApi(database.url, { server: { network: () => 'emulator' } })
    const { data } = await silent.json<{ data: { source: string; tx_count: number }[] }>(`/flow/account/${receiver}`)
    expect(data[0]).to.include({ source: 'index', tx_count: 0, _rpcUnavailable: true })
    expect((await silent.get(`/flow/account/${unknown}`)).status).to.equal(503)
    await silent.stop()
  })

  it('are unknown by their COA while no access node responds', async () => {
    const silent = await runApi(database.url, { server: { network: () => 'emulator' } })
    expect((await silent.get(`/flow/coa/${coa}`)).status).to.equal(404)
    await silent.stop()
  })
})
