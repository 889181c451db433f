import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Transaction } from '../../src/explorer/transactions/schema.ts'
import type { TransactionDetail } from '../../src/explorer/transactions/detail-schema.ts'
import { maxOtherHeights } from '../../src/explorer/transactions/queries.ts'
import {
  chainBlock,
  idOf,
  payer,
  receiver,
  storeBlocks,
  systemTransactionIds,
  transferScript,
} from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('transaction routes', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 160, { partitionStep: 50 })
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  async function one(id: string, query = ''): Promise<TransactionDetail | undefined> {
    const { data } = await api.json<{ data: TransactionDetail[] }>(`/flow/transaction/${id}${query}`)
    expect(data).to.have.length(1)
    return data[0]
  }

  it('pages through all transactions once, latest first, while new blocks arrive', async () => {
    const blocks = Array.from({ length: 61 }, (_, i) => chainBlock(160 - i))
    const expected = blocks.flatMap(({ transactions }) => transactions.toReversed().map(({ id }) => id))
    const ids: string[] = []
    let cursor = ''
    let newest = 160
    do {
      const list = await api.json<List<Transaction>>(`/flow/transaction?limit=23&cursor=${cursor}`)
      ids.push(...list.data.map(({ id }) => id))
      const last = list.data.at(-1)
      const place = `${last?.block_height}:${last?.transaction_index}:${last?.id}`
      expect(list.cursor).to.equal(list.has_more ? place : '')
      cursor = list.cursor
      await storeBlocks(database.pool, ++newest, newest, { partitionStep: 50 })
    } while (cursor !== '')
    expect(ids).to.deep.equal(expected)
  })

  it('lists 20 by default and up to 100', async () => {
    expect((await api.json<List<Transaction>>('/flow/transaction')).data).to.have.length(20)
    expect((await api.json<List<Transaction>>('/flow/transaction?limit=100')).data).to.have.length(100)
    expect((await api.get('/flow/transaction?limit=101')).status).to.equal(400)
  })

  it('pages through one block', async () => {
    const { transactions } = chainBlock(120)
    const first = await api.json<List<Transaction>>('/flow/transaction?height=120&limit=3')
    expect(first.data.map(({ id }) => id)).to.deep.equal(
      transactions
        .slice(2)
        .toReversed()
        .map(({ id }) => id),
    )
    const second = await api.json<List<Transaction>>(`/flow/transaction?height=120&limit=3&cursor=${first.cursor}`)
    expect(second.data.map(({ id }) => id)).to.deep.equal(
      transactions
        .slice(0, 2)
        .toReversed()
        .map(({ id }) => id),
    )
    expect(second.has_more).to.equal(false)
    const below = await api.json<List<Transaction>>(`/flow/transaction?height=121&cursor=${first.cursor}`)
    expect(below.data).to.deep.equal([])
    expect((await api.json<List<Transaction>>('/flow/transaction?height=9999')).data).to.deep.equal([])
  })

  it('returns a complete transfer', async () => {
    const [transfer] = chainBlock(120).transactions
    const shown = await one(transfer?.id ?? '')
    expect(shown).to.deep.include({
      id: transfer?.id,
      block_height: 120,
      block_id: chainBlock(120).id,
      transaction_index: 0,
      timestamp: chainBlock(120).timestamp,
      payer,
      proposer: payer,
      payer_address: payer.slice(2),
      proposer_address: payer.slice(2),
      authorizers: [payer],
      proposer_key_index: 0,
      proposer_sequence_number: 120,
      status: 'SEALED',
      execution_status: 'SUCCESS',
      error: '',
      error_message: '',
      fee: '0.00000570',
      gas_limit: 9999,
      gas_used: 14,
      event_count: 9,
      is_evm: false,
      evm_hash: null,
      tags: ['FT_TRANSFER'],
      script: transferScript,
      reference_block_id: idOf('block', 'main', 110),
      collection: { id: chainBlock(120).collectionIds[0], index: 0 },
      arguments: [
        { type: 'UFix64', value: '10.00000000' },
        { type: 'Address', value: receiver },
      ],
    })
    expect(shown?.events[3]).to.deep.equal({
      type: 'A.f233dcee88fe0abe.FungibleToken.Deposited',
      transaction: transfer?.id,
      event_index: 3,
      block_height: 120,
      timestamp: chainBlock(120).timestamp,
      contract_address: '0xf233dcee88fe0abe',
      contract_name: 'FungibleToken',
      event_name: 'Deposited',
      payload: {
        type: 'A.1654653399040a61.FlowToken.Vault',
        amount: '10.00000000',
        to: receiver,
        toUUID: '102',
        depositedUUID: '5921',
        balanceAfter: '35.50000000',
      },
    })
    expect(shown?.events).to.have.length(9)
  })

  it('finds a transaction by its EVM hash in any spelling', async () => {
    const evm = chainBlock(120).transactions[1]
    for (const spelling of [evm?.id, `0x${evm?.id}`, evm?.evmHash, `0x${evm?.evmHash}`, evm?.evmHash?.toUpperCase()]) {
      const shown = await one(spelling ?? '')
      const { id, evmHash } = evm ?? {}
      expect(shown, spelling ?? '').to.deep.include({ id, evm_hash: evmHash, is_evm: true, tags: ['EVM'] })
    }
  })

  it('finds system transactions by height or in the newest block', async () => {
    const [first, second] = systemTransactionIds
    expect(await one(second, '?height=120')).to.deep.include({
      block_height: 120,
      payer: '0x0000000000000000',
      proposer: '0x0000000000000000',
      authorizers: [],
      collection: null,
      reference_block_id: null,
      proposer_key_index: null,
      arguments: [],
    })
    const newest = await api.json<List<Transaction>>('/flow/transaction?limit=1')
    expect((await one(first))?.block_height).to.equal(newest.data[0]?.block_height)
  })

  it('names the returned system transaction and lists others', async () => {
    const [id] = systemTransactionIds
    const response = await api.get(`/flow/transaction/${id}`)
    const [{ block_height: height, other_heights: others }] = ((await response.json()) as { data: [TransactionDetail] })
      .data
    expect(response.headers.get('content-location')).to.equal(`/flow/transaction/${id}?height=${height}`)
    expect(response.headers.get('cache-control')).to.equal('no-cache')
    expect(others).to.deep.equal(Array.from({ length: maxOtherHeights }, (_, i) => height - 1 - i))
    const other = await api.get(`/flow/transaction/${id}?height=${others[0]}`)
    expect(other.headers.get('content-location')).to.equal(null)
    const [shown] = ((await other.json()) as { data: [TransactionDetail] }).data
    const neighbours = [height, ...others.slice(1), height - 1 - maxOtherHeights].slice(0, maxOtherHeights)
    expect(shown).to.deep.include({ id, block_height: others[0], other_heights: neighbours })
    const [middle] = (await api.json<{ data: [TransactionDetail] }>(`/flow/transaction/${id}?height=${height - 30}`))
      .data
    const half = Array.from({ length: maxOtherHeights / 2 }, (_, i) => i + 1)
    expect(middle.other_heights.toSorted((a, b) => a - b)).to.deep.equal(
      [...half.map((i) => height - 30 - i), ...half.map((i) => height - 30 + i)].toSorted((a, b) => a - b),
    )
    for (const event of shown.events) expect(event.block_height).to.equal(others[0])
    const unique = await api.get(`/flow/transaction/${chainBlock(120).transactions[0]?.id}`)
    expect(unique.headers.get('content-location')).to.equal(null)
    expect(((await unique.json()) as { data: [TransactionDetail] }).data[0].other_heights).to.deep.equal([])
  })

  it('accepts the height with an EVM hash', async () => {
    const evm = chainBlock(120).transactions[1]
    expect(await one(evm?.evmHash ?? '', '?height=120')).to.include({ id: evm?.id })
    expect((await api.get(`/flow/transaction/${evm?.evmHash}?height=121`)).status).to.equal(404)
  })

  it('returns 404 for unknown and 400 for invalid ids', async () => {
    for (const [id, status, code] of [
      ['0'.repeat(64), 404, 'unknown-transaction'],
      ['0', 400, 'invalid-parameter'],
      ['g'.repeat(64), 400, 'invalid-parameter'],
      ['a'.repeat(63), 400, 'invalid-parameter'],
      ['a'.repeat(65), 400, 'invalid-parameter'],
    ] as const) {
      const response = await api.get(`/flow/transaction/${id}`)
      expect(response.status, id).to.equal(status)
      expect(await response.json(), id).to.include({ code, field: 'id' })
    }
    expect((await api.get(`/flow/transaction/${chainBlock(120).transactions[0]?.id}?height=121`)).status).to.equal(404)
  })

  it('rejects cursors of another format', async () => {
    for (const cursor of ['120', '120:0', '120:0:xyz', `-1:0:${'a'.repeat(64)}`, `1:9999999999:${'a'.repeat(64)}`]) {
      const response = await api.get(`/flow/transaction?cursor=${cursor}`)
      expect(response.status, cursor).to.equal(400)
      expect(await response.json()).to.include({ field: 'cursor' })
    }
  })
})
