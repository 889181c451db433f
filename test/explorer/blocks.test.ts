import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Block, BlockDetail } from '../../src/explorer/blocks/schema.ts'
import type { ServiceEvent, Transaction } from '../../src/explorer/transactions/schema.ts'
import { chainBlock, payer, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('block routes', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 250, { partitionStep: 50 })
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  it('lists the newest 20 blocks first', async () => {
    const list = await api.json<List<Block>>('/flow/block')
    expect(list.data.map(({ height }) => height)).to.deep.equal(Array.from({ length: 20 }, (_, i) => 250 - i))
    expect(list).to.deep.include({ has_more: true, cursor: '231', _meta: { limit: 20, count: 20, has_more: true } })
    const { id, parentId, timestamp, transactions } = chainBlock(250)
    expect(list.data[0]).to.deep.equal({
      height: 250,
      id,
      parent_id: parentId,
      parent_hash: parentId,
      timestamp,
      tx_count: transactions.length,
      event_count: transactions.flatMap(({ events }) => events).length,
      total_gas_used: null,
      evm_tx_count: null,
      fees: null,
    })
  })

  it('pages through all blocks once while new blocks arrive', async () => {
    const heights: number[] = []
    let cursor = ''
    let newest = 250
    do {
      const list = await api.json<List<Block>>(`/flow/block?limit=37&cursor=${cursor}`)
      heights.push(...list.data.map(({ height }) => height))
      expect(list.has_more).to.equal(list.cursor !== '')
      cursor = list.cursor
      await storeBlocks(database.pool, ++newest, newest, { partitionStep: 50 })
    } while (cursor !== '')
    expect(heights).to.deep.equal(Array.from({ length: 151 }, (_, i) => 250 - i))
  })

  it('finds blocks below a gap larger than a page', async () => {
    const other = await createTestDatabase()
    await storeBlocks(other.pool, 10, 14, { ingester: 'history_ingester', partitionStep: 50 })
    await storeBlocks(other.pool, 400, 403, { partitionStep: 50 })
    const otherApi = await runApi(other.url)
    const list = await otherApi.json<List<Block>>('/flow/block?limit=6')
    expect(list.data.map(({ height }) => height)).to.deep.equal([403, 402, 401, 400, 14, 13])
    const rest = await otherApi.json<List<Block>>(`/flow/block?limit=6&cursor=${list.cursor}`)
    expect(rest.data.map(({ height }) => height)).to.deep.equal([12, 11, 10])
    expect(rest).to.deep.include({ has_more: false, cursor: '' })
    await otherApi.stop()
    await other.drop()
  })

  it('returns an empty list without blocks and beyond both ends', async () => {
    const other = await createTestDatabase()
    const otherApi = await runApi(other.url)
    const empty = { data: [], has_more: false, cursor: '', _meta: { limit: 20, count: 0, has_more: false } }
    expect(await otherApi.json('/flow/block')).to.deep.equal(empty)
    expect(await otherApi.json('/flow/transaction')).to.deep.equal(empty)
    await otherApi.stop()
    await other.drop()
    for (const query of ['cursor=100', 'cursor=0', 'height=99']) {
      expect(await api.json(`/flow/block?${query}`), query).to.deep.equal(empty)
    }
  })

  it('filters by height', async () => {
    const list = await api.json<List<Block>>('/flow/block?height=120')
    expect(list.data.map(({ height }) => height)).to.deep.equal([120])
    expect(list.has_more).to.equal(false)
  })

  it('returns a block with its collections and transaction summaries, by height and id', async () => {
    const { id, collectionIds, transactions } = chainBlock(120)
    const {
      data: [block],
    } = await api.json<{ data: BlockDetail[] }>('/flow/block/120')
    expect(await api.json(`/flow/block/${id}`)).to.deep.equal({ data: [block] })
    expect(await api.json(`/flow/block/0x${id.toUpperCase()}`)).to.deep.equal({ data: [block] })
    expect(block?.collections).to.deep.equal(
      collectionIds.map((collectionId, i) => {
        const ids = transactions.filter(({ collection }) => collection === i).map((made) => made.id)
        return { id: collectionId, tx_count: ids.length, transaction_ids: ids }
      }),
    )
    expect(block?.collections.map(({ tx_count: count }) => count)).to.deep.equal([1, 2])
    expect(block?.transactions.map((summary) => summary.id)).to.deep.equal(transactions.map((made) => made.id))
    expect(block?.transactions[0]).to.include({
      status: 'SEALED',
      execution_status: 'SUCCESS',
      payer_address: payer.slice(2),
      proposer_address: payer.slice(2),
      is_evm: false,
      template_category: 'token_transfer',
      template_label: '',
      error_message: '',
      block_height: 120,
    })
    expect(block?.transactions.map(({ tags }) => tags)).to.deep.equal([['FT_TRANSFER'], ['EVM'], [], [], []])
    expect(block?.transactions[2]).to.include({
      execution_status: 'FAILURE',
      error_message: '[Error Code: 1101] cadence runtime error: panic: no',
    })
    expect(block?.transactions[4]?.payer_address).to.equal('0000000000000000')
  })

  it('lists all transactions of a block, optionally with events', async () => {
    const { transactions } = chainBlock(120)
    const plain = await api.json<List<Transaction>>('/flow/block/120/transaction')
    expect(plain.data.map(({ id }) => id)).to.deep.equal(transactions.map(({ id }) => id))
    expect(plain.data.flatMap(({ events }) => events)).to.deep.equal([])
    expect(plain).to.deep.include({ has_more: false, cursor: '', _meta: { count: 5, has_more: false } })
    const full = await api.json<List<Transaction>>('/flow/block/120/transaction?include_events=true')
    expect(full.data.map(({ events }) => events.map(({ type }) => type))).to.deep.equal(
      transactions.map(({ events }) => events.map(({ type }) => type)),
    )
  })

  it('lists service events of the core contracts only', async () => {
    const list = await api.json<List<ServiceEvent>>('/flow/block/120/service-event')
    expect(list.data).to.deep.equal([
      {
        block_height: 120,
        name: 'VersionBeacon',
        type: 'A.e467b9dd11fa00df.NodeVersionBeacon.VersionBeacon',
        timestamp: chainBlock(120).timestamp,
        fields: { versionBoundaries: [], sequence: '120' },
      },
    ])
    expect((await api.json<List<ServiceEvent>>('/flow/block/121/service-event')).data).to.deep.equal([])
  })

  it('returns 404 for missing blocks and 400 for invalid keys', async () => {
    for (const rest of ['', '/transaction', '/service-event']) {
      for (const [key, status, code] of [
        ['99', 404, 'unknown-block'],
        ['f'.repeat(64), 404, 'unknown-block'],
        ['abc', 400, 'invalid-parameter'],
        ['-1', 400, 'invalid-parameter'],
        ['1.5', 400, 'invalid-parameter'],
        ['9'.repeat(16), 400, 'invalid-parameter'],
      ] as const) {
        const response = await api.get(`/flow/block/${key}${rest}`)
        expect(response.status, key).to.equal(status)
        expect(await response.json(), key).to.include({ code, field: 'height', status })
      }
    }
  })
})
