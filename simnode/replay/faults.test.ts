import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import { expect } from 'chai'
import { BytesClient } from '../../test/support/grpc-bytes.ts'
import { startRecordedNode } from '../../test/support/replay.ts'
import type { ReplayNode } from './replay-node.ts'
import { bytesField, bytesOf, contentsOf, numberOf, readFields, varintField } from '../node/wire.ts'

/** A block of `base` with a failed transaction, and one without. */
const failedHeight = 44
const plainHeight = 25

describe('faults of the replay node', () => {
  let node: ReplayNode
  let client: BytesClient

  const atHeight = (height: number): Buffer => varintField(1, height)
  const ofBlock = (height: number): Buffer => bytesField(1, node.chain.block(height).identity.id)
  const ccfOf = (height: number): Buffer => Buffer.concat([ofBlock(height), varintField(2, 1)])
  const bulk = 'GetTransactionResultsByBlockID'

  beforeEach(async () => {
    node = await startRecordedNode('base')
    client = new BytesClient(node.endpoint)
  })

  afterEach(async () => {
    client.close()
    await node.stop()
  })

  it('status: for a method, after some calls, for some calls', async () => {
    const fault = node.inject({
      kind: 'status',
      code: 'UNAVAILABLE',
      message: 'zu müde',
      methods: ['Ping'],
      after: 1,
      times: 2,
    })
    await client.call('Ping')
    await client.call('GetNetworkParameters')
    expect(await client.failureOf('Ping')).to.deep.equal({ code: status.UNAVAILABLE, details: 'zu müde' })
    expect((await client.failureOf('Ping')).code).to.equal(status.UNAVAILABLE)
    await client.call('Ping')
    expect(fault.hits).to.equal(2)
  })

  it('status: at heights, by a condition, until removed', async () => {
    const ranged = node.inject({ kind: 'status', code: 'INTERNAL', heights: { from: 10, to: 11 } })
    await client.call('GetBlockByHeight', atHeight(9))
    expect((await client.failureOf('GetBlockByHeight', atHeight(10))).code).to.equal(status.INTERNAL)
    expect((await client.failureOf(bulk, ofBlock(11))).code).to.equal(status.INTERNAL)
    await client.call('GetLatestBlockHeader')
    await client.call('Ping')
    ranged.remove()
    await client.call('GetBlockByHeight', atHeight(10))
    node.inject({ kind: 'status', code: 'ABORTED', when: (call) => call.method === 'Ping' })
    expect((await client.failureOf('Ping')).code).to.equal(status.ABORTED)
    node.clearFaults()
    await client.call('Ping')
  })

  it('latency: delays add up', async () => {
    node.inject({ kind: 'latency', ms: 40, methods: ['Ping'] })
    node.inject({ kind: 'latency', ms: 40 })
    const before = performance.now()
    await client.call('Ping')
    expect(performance.now() - before).to.be.greaterThan(78)
  })

  it('rate-limit: allows the burst and rejects the rest', async () => {
    const fault = node.inject({ kind: 'rate-limit', perSecond: 0.001, burst: 3 })
    for (let i = 0; i < 3; i++) await client.call('Ping')
    expect((await client.failureOf('Ping')).code).to.equal(status.RESOURCE_EXHAUSTED)
    expect(await client.failureOf('GetNetworkParameters')).to.deep.equal({
      code: status.RESOURCE_EXHAUSTED,
      details: '/flow.access.AccessAPI/GetNetworkParameters rate limit reached, please retry later.',
    })
    expect(fault.hits).to.equal(2)
  })

  it('drop-connection: terminates this call and concurrent ones, and allows a reconnect', async () => {
    node.inject({ kind: 'never-answer', methods: ['GetNetworkParameters'] })
    node.inject({ kind: 'drop-connection', methods: ['Ping'], times: 1 })
    const waiting = once(node.events, 'call')
    const beside = client.failureOf('GetNetworkParameters')
    await waiting
    expect((await client.failureOf('Ping')).code).to.equal(status.UNAVAILABLE)
    expect((await beside).code).to.equal(status.UNAVAILABLE)
    await client.call('Ping')
  })

  it('never-answer: leaves the call until its deadline', async () => {
    node.inject({ kind: 'never-answer', methods: ['Ping'] })
    const failure = await client.failureOf('Ping', Buffer.alloc(0), { timeoutMs: 50 })
    expect(failure.code).to.equal(status.DEADLINE_EXCEEDED)
  })

  it('garbage: returns bytes that are not a message', async () => {
    node.inject({ kind: 'garbage', methods: ['GetBlockByHeight'], length: 10 })
    const answer = await client.call('GetBlockByHeight', atHeight(5))
    expect(answer.length).to.equal(10)
    expect(() => readFields(answer)).to.throw(RangeError)
  })

  it('wrong-parent: in block and header, at its height only', async () => {
    node.inject({ kind: 'wrong-parent', heights: { from: 20, to: 20 } })
    const parentOf = async (method: string, request: Buffer): Promise<string> =>
      bytesOf(bytesOf(await client.call(method, request), 1), 2).toString('hex')
    const truth = node.chain.block(19).identity.id.toString('hex')
    const reported = await parentOf('GetBlockByHeight', atHeight(20))
    expect(reported).to.have.length(64)
    expect(reported).to.not.equal(truth)
    expect(await parentOf('GetBlockHeaderByHeight', atHeight(20))).to.equal(reported)
    expect(await parentOf('GetBlockByID', ofBlock(20))).to.equal(reported)
    const full = await client.call('GetBlockByHeight', Buffer.concat([atHeight(20), varintField(2, 1)]))
    expect(bytesOf(bytesOf(bytesOf(full, 1), 10), 2).toString('hex')).to.equal(reported)
    expect(await parentOf('GetBlockByHeight', atHeight(21))).to.equal(node.chain.block(20).identity.id.toString('hex'))
  })

  it('missing-results: by block, by index and by transaction; bodies are still served', async () => {
    node.inject({ kind: 'missing-results', heights: { from: plainHeight, to: plainHeight } })
    const id = node.chain.block(plainHeight).transactionIds[0] as Buffer
    for (const [method, request] of [
      [bulk, ofBlock(plainHeight)],
      ['GetTransactionResultByIndex', ofBlock(plainHeight)],
      ['GetTransactionResult', bytesField(1, id)],
    ] as const)
      expect((await client.failureOf(method, request)).code, method).to.equal(status.NOT_FOUND)
    await client.call('GetTransactionsByBlockID', ofBlock(plainHeight))
    await client.call(bulk, ofBlock(plainHeight + 1))
  })

  it('fewer-results: omits the last ones', async () => {
    node.inject({ kind: 'fewer-results', count: 2 })
    const results = contentsOf(await client.call(bulk, ccfOf(plainHeight)), 1)
    const ids = results.map((result) => bytesOf(result, 6).toString('hex'))
    const all = node.chain.block(plainHeight).transactionIds.map((id) => id.toString('hex'))
    expect(ids).to.deep.equal(all.slice(0, -2))
  })

  it('oversized: by an unknown field', async () => {
    node.inject({ kind: 'oversized', bytes: 5_000_000 })
    const answer = await client.call(bulk, ccfOf(plainHeight))
    expect(answer.length).to.be.within(5_000_000, 5_000_100)
    expect(contentsOf(answer, 1)).to.deep.equal(node.chain.block(plainHeight).results('ccf'))
    await client.call('GetTransactionResultByIndex', ofBlock(plainHeight))
  })

  it('oversized: by copies of an event under new indexes', async () => {
    node.inject({ kind: 'oversized', bytes: 1_000_000, by: 'events' })
    const answer = await client.call(bulk, ccfOf(plainHeight))
    expect(answer.length).to.be.within(1_000_000, 1_010_000)
    const results = contentsOf(answer, 1)
    expect(results.length).to.equal(node.chain.block(plainHeight).transactionIds.length)
    const events = contentsOf(results[0] as Buffer, 4)
    expect(events.map((event) => numberOf(event, 4))).to.deep.equal(events.map((_event, index) => index))
    expect(bytesOf(events.at(-1) as Buffer, 5)).to.deep.equal(bytesOf(events.at(-2) as Buffer, 5))
  })

  it('no-bulk-calls: single calls are still served', async () => {
    node.inject({ kind: 'no-bulk-calls' })
    expect(await client.failureOf(bulk, ofBlock(5))).to.deep.equal({
      code: status.UNIMPLEMENTED,
      details: `unknown method ${bulk} for service flow.access.AccessAPI`,
    })
    expect((await client.failureOf('GetTransactionsByBlockID', ofBlock(5))).code).to.equal(status.UNIMPLEMENTED)
    await client.call('GetTransactionResultByIndex', ofBlock(5))
  })

  it('legacy-only: the legacy service returns its smaller messages', async () => {
    node.inject({ kind: 'legacy-only' })
    const modern = await client.failureOf('GetBlockByHeight', atHeight(plainHeight))
    expect(modern).to.deep.equal({ code: status.UNIMPLEMENTED, details: 'unknown service flow.access.AccessAPI' })
    const legacy = { service: 'access.AccessAPI' } as const
    const block = node.chain.block(plainHeight)
    const id = block.transactionIds[0] as Buffer
    const answer = await client.call('GetBlockByHeight', atHeight(plainHeight), legacy)
    expect(readFields(answer).map((f) => f.number)).to.deep.equal([1])
    const header = bytesOf(await client.call('GetLatestBlockHeader', Buffer.alloc(0), legacy), 1)
    expect(readFields(header).map((f) => f.number)).to.deep.equal([1, 2, 3, 4])
    const collectionId = block.identity.collectionIds[0] as Buffer
    const collection = bytesOf(await client.call('GetCollectionByID', bytesField(1, collectionId), legacy), 1)
    expect(contentsOf(collection, 2)[0]).to.deep.equal(id)
    const body = bytesOf(await client.call('GetTransaction', bytesField(1, id), legacy), 1)
    expect(body).to.deep.equal(block.transactions[0])
    const result = await client.call('GetTransactionResult', bytesField(1, id), legacy)
    expect(new Set(readFields(result).map((f) => f.number))).to.deep.equal(new Set([1, 4]))
    expect(contentsOf(result, 4)).to.deep.equal(contentsOf(block.results('json-cdc')[0] as Buffer, 4))
    expect((await client.failureOf(bulk, ofBlock(5), legacy)).code).to.equal(status.UNIMPLEMENTED)
  })

  it('lost-error-message: only where a transaction failed', async () => {
    const fault = node.inject({ kind: 'lost-error-message' })
    expect(await client.failureOf(bulk, ccfOf(failedHeight))).to.deep.equal({
      code: status.INTERNAL,
      details: 'failed to derive transaction result: transaction failed but error message is empty',
    })
    await client.call(bulk, ccfOf(plainHeight))
    expect(fault.hits).to.equal(1)
  })

  it('corrupt-event: in every call that returns the event, and no other event', async () => {
    const type = bytesOf(contentsOf(node.chain.block(plainHeight).results('ccf')[0] as Buffer, 4)[1] as Buffer, 1)
    const heights = [varintField(2, plainHeight - 1), varintField(3, plainHeight + 1)]
    const range = Buffer.concat([bytesField(1, type), ...heights, varintField(4, 1)])
    const eventsFrom: Record<string, () => Promise<Buffer[]>> = {
      bulk: async () =>
        contentsOf(await client.call(bulk, ccfOf(plainHeight)), 1).flatMap((result) => contentsOf(result, 4)),
      index: async () => contentsOf(await client.call('GetTransactionResultByIndex', ofBlock(plainHeight)), 4),
      range: async () =>
        contentsOf(await client.call('GetEventsForHeightRange', range), 1).flatMap((block) => contentsOf(block, 3)),
    }
    for (const [name, ask] of Object.entries(eventsFrom)) {
      node.clearFaults()
      const well = await ask()
      node.inject({ kind: 'corrupt-event', height: plainHeight, transactionIndex: 0, eventIndex: 1 })
      const ill = await ask()
      const changed = ill.filter((event, index) => !event.equals(well[index] as Buffer))
      expect(changed.length, name).to.equal(1)
      expect(bytesOf(changed[0] as Buffer, 5).toString('hex'), name).to.equal('ff00ff00')
      expect(numberOf(changed[0] as Buffer, 4), name).to.equal(1)
    }
  })

  it('lying-head: reports a height that is not served', async () => {
    node.inject({ kind: 'lying-head', ahead: 5 })
    const header = bytesOf(await client.call('GetLatestBlockHeader'), 1)
    const block = bytesOf(await client.call('GetLatestBlock'), 1)
    expect([numberOf(header, 3), numberOf(block, 3)]).to.deep.equal([285, 285])
    expect(bytesOf(header, 1)).to.deep.equal(bytesOf(block, 1))
    expect((await client.failureOf('GetBlockByHeight', atHeight(285))).code).to.equal(status.NOT_FOUND)
  })
})
