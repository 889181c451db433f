import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Contract, ContractVersion, ContractVersionDetail } from '../../src/explorer/contracts/schema.ts'
import type { ContractEventType, ContractScript } from '../../src/explorer/contracts/uses.ts'
import type { TestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { recordedEventCounts, truthOf } from '../support/recording-annotations.ts'
import type { Truth } from '../support/recording-annotations.ts'
import { startRecordedNode } from '../support/replay.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const sha3 = (code: string | null | undefined): string =>
  createHash('sha3-256')
    .update(code ?? '')
    .digest('hex')

describe('contracts of a recorded chain', () => {
  let database: TestDatabase
  let api: RunningApi
  let truth: Truth

  before(async () => {
    ;({ database, api } = await exploredChain())
    truth = await truthOf('base')
  })

  it('equal the chain at its end, with or without the code worker', async () => {
    const known = Object.entries(truth.accounts).flatMap(([address, { contracts }]) =>
      Object.entries(contracts).map(([name, { sha3_256: hash }]) => ({ id: `A.${address.slice(2)}.${name}`, hash })),
    )
    const listed = await api.json<List<Contract>>('/flow/contract?limit=100')
    const ids = known.map(({ id }) => id)
    for (const { id } of listed.data) expect(ids).to.include(id)
    for (const { id, hash } of known) {
      if (listed.data.every((one) => one.id !== id)) continue
      const {
        data: [shown],
      } = await api.json<List<Contract>>(`/flow/contract/${id}`)
      expect(shown, id).to.include({ id, status: 'active', code_hash: hash })
      expect(sha3(shown?.body), id).to.equal(hash)
    }
    expect(listed.data.length).to.be.greaterThan(8)
  })

  it('are read from the chain if deployed before the first block', async () => {
    await using node = await startRecordedNode('base')
    const live = await runApi(database.url, { nodes: [node.endpoint], server: { network: () => 'emulator' } })
    try {
      const {
        data: [shown],
      } = await live.json<List<Contract>>('/flow/contract/A.ae53cb6e3f42a79.FlowToken')
      expect(shown).to.include({
        id: 'A.0ae53cb6e3f42a79.FlowToken',
        kind: 'FT',
        source: 'chain',
        valid_from: null,
        created_at: null,
      })
      expect(sha3(shown?.body)).to.equal(truth.accounts['0x0ae53cb6e3f42a79']?.contracts['FlowToken']?.sha3_256)
      expect((await live.get('/flow/contract/A.0ae53cb6e3f42a79.Nothing')).status).to.equal(404)
      expect((await live.get('/flow/contract/A.0000000000000001.Nothing')).status).to.equal(404)
    } finally {
      await live.stop()
    }
    const response = await api.get('/flow/contract/A.0ae53cb6e3f42a79.FlowToken')
    expect([response.status, ((await response.json()) as { code: string }).code]).to.deep.equal([503, 'chain-silent'])
  })

  it('list all versions with their code, newest first', async () => {
    const { rows } = await database.pool.query<{ contract: string; versions: string[] }>(`
      select 'A.' || substr(address, 3) || '.' || name as contract,
        array_agg(encode(code_hash, 'hex') order by block_height desc, tx_index desc, event_index desc) as versions
      from app.contract_versions where change <> 'removed' group by 1`)
    expect(rows.some(({ versions }) => versions.length > 1)).to.equal(true)
    for (const { contract, versions: hashes } of rows) {
      const versions: ContractVersion[] = []
      let cursor = ''
      do {
        const list = await api.json<List<ContractVersion>>(
          `/flow/contract/${contract}/version?limit=1&cursor=${cursor}`,
        )
        versions.push(...list.data)
        cursor = list.cursor
      } while (cursor !== '')
      expect(
        versions.map((one) => one.code_hash),
        contract,
      ).to.deep.equal(hashes)
      expect(versions.map(({ version }) => version)).to.deep.equal(hashes.map((_hash, i) => hashes.length - i))
      for (const listed of versions) {
        const {
          data: [shown],
        } = await api.json<{ data: ContractVersionDetail[] }>(`/flow/contract/${contract}/version/${listed.version}`)
        expect(shown).to.deep.include(listed)
        expect(sha3(shown?.code), contract).to.equal(listed.code_hash)
        const {
          data: [transaction],
        } = await api.json<{ data: { block_height: number; timestamp: string }[] }>(
          `/flow/transaction/${listed.transaction_id}`,
        )
        expect(transaction).to.include({ block_height: listed.block_height, timestamp: listed.created_at })
      }
      expect((await api.get(`/flow/contract/${contract}/version/${hashes.length + 1}`)).status).to.equal(404)
    }
  })

  it('list event types with exact counts, including types without events', async () => {
    const counted: Record<string, number> = {}
    for (const contract of [
      'A.179b6b1cb6755e31.PaperBoats',
      'A.0ae53cb6e3f42a79.FlowToken',
      'A.f8d6e0586b0a20c7.EVM',
    ]) {
      const { data } = await api.json<List<ContractEventType>>(`/flow/contract/${contract}/events?limit=100`)
      const { rows } = await database.pool.query<{ type: string; count: number; last: number }>(`
        select type, count(*)::int as count, max(block_height)::int as last from raw.events
        where starts_with(type, '${contract}.') group by type order by count desc, type collate "C"`)
      const seen = data
        .filter(({ count }) => count > 0)
        .map((one) => ({ type: one.type, count: one.count, last: one.last_seen_height }))
      expect(seen).to.deep.equal(rows)
      for (const { type, count } of rows) counted[type] = count
    }
    expect(Object.keys(counted).length).to.be.greaterThan(8)
    const reported = await recordedEventCounts('base')
    for (const [type, count] of Object.entries(counted)) expect(reported[type], type).to.equal(count)
  })

  it('list the event types that their current code declares', async () => {
    const contract = 'A.179b6b1cb6755e31.PaperBoats'
    const { data } = await api.json<List<ContractEventType>>(`/flow/contract/${contract}/events`)
    const code = (await api.json<List<Contract>>(`/flow/contract/${contract}`)).data[0]?.body ?? ''
    const declared = [...code.matchAll(/event (\w+)\(/g)].map(([, name]) => name)
    expect(data.filter((one) => one.is_declared).map((one) => one.event_name)).to.have.members(declared)
    for (const { type, event_name: name, count, last_seen: time } of data) {
      expect(type).to.equal(`${contract}.${name}`)
      expect(time === null).to.equal(count === 0)
    }
    expect((await api.json<List<ContractEventType>>(`/flow/contract/${contract}/events?limit=1`)).data).to.have.length(
      1,
    )
  })

  it('list the scripts that import them, most used first', async () => {
    const contract = 'A.179b6b1cb6755e31.PebbleCoin'
    const { data } = await api.json<List<ContractScript>>(`/flow/contract/${contract}/scripts?limit=100`)
    const { rows } = await database.pool.query<{ script_hash: string; tx_count: number }>(
      `
      select encode(t.script_hash, 'hex') as script_hash, count(*)::int as tx_count
      from app.tx_contracts c cross join unnest(c.tx_indexes) as i (tx_index)
      join raw.transactions t on t.block_height = c.block_height and t.tx_index = i.tx_index
      where c.contract = $1 group by 1 order by tx_count desc, script_hash`,
      [contract],
    )
    expect(data.map(({ script_hash, tx_count }) => ({ script_hash, tx_count }))).to.deep.equal(rows)
    expect(rows.length).to.be.greaterThan(2)
    for (const one of data) {
      expect(one.script_preview).to.match(/import/)
      const {
        data: [script],
      } = await api.json<{ data: { script_text: string; template_label: string }[] }>(`/flow/script/${one.script_hash}`)
      expect(script?.script_text.startsWith(one.script_preview)).to.equal(true)
      expect(script?.template_label).to.equal(one.label)
    }
  })
})
