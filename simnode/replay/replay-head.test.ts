import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import type { ClientReadableStream } from '@grpc/grpc-js'
import { expect } from 'chai'
import { BytesClient } from '../../test/support/grpc-bytes.ts'
import { startRecordedNode } from '../../test/support/replay.ts'
import type { RecordingName } from '../../test/support/replay.ts'
import type { ReplayNode, ReplayNodeOptions } from './replay-node.ts'
import { timestampNsOf } from './recording.ts'
import { bytesField, bytesOf, contentsOf, numberOf, varintField } from '../node/wire.ts'

const atHeight = (height: number): Buffer => varintField(1, height)

describe('head of the replay node', () => {
  let node: ReplayNode
  let client: BytesClient
  let streams: ClientReadableStream<Buffer>[]

  async function start(name: RecordingName, options: Omit<ReplayNodeOptions, 'recording'> = {}): Promise<void> {
    node = await startRecordedNode(name, options)
    client = new BytesClient(node.endpoint)
    streams = []
  }

  function subscribe(method: string, request: Buffer = Buffer.alloc(0)): AsyncIterator<Buffer> {
    const stream = client.stream(method, request)
    stream.on('error', () => undefined)
    streams.push(stream)
    return (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  }

  async function nextOf(messages: AsyncIterator<Buffer>): Promise<Buffer> {
    const result = await messages.next()
    if (result.done === true) throw new Error('the stream ended')
    return result.value
  }

  async function headOf(): Promise<number> {
    return numberOf(bytesOf(await client.call('GetLatestBlockHeader'), 1), 3)
  }

  afterEach(async () => {
    for (const stream of streams) stream.cancel()
    client.close()
    await node.stop()
  })

  it('starts and moves as configured', async () => {
    await start('base', { head: 10 })
    expect(await headOf()).to.equal(10)
    expect(await client.failureOf('GetBlockByHeight', atHeight(11))).to.deep.equal({
      code: status.NOT_FOUND,
      details: 'could not find block at height 11',
    })
    const idAbove = node.chain.block(11).identity.id
    expect((await client.failureOf('GetBlockByID', bytesField(1, idAbove))).code).to.equal(status.NOT_FOUND)
    node.advance(3)
    expect(await headOf()).to.equal(13)
    await client.call('GetBlockByHeight', atHeight(11))
    await client.call('GetBlockByID', bytesField(1, idAbove))
    node.setHead(5)
    expect(await headOf()).to.equal(5)
    expect(() => node.setHead(281)).to.throw('outside the chain from 0 to 280')
    node.advance(1000)
    expect(await headOf()).to.equal(280)
  })

  it('advances at the interval, and stops at the end of the chain', async () => {
    await start('base', { head: 277, intervalMs: 5 })
    const seen: number[] = []
    while (node.head < 280) seen.push(...((await once(node.events, 'head')) as [number]))
    expect(seen).to.deep.equal([278, 279, 280])
  })

  it('hides data that only a transaction above the head has', async () => {
    await start('base', { head: 24 })
    const block = node.chain.block(25)
    const request = bytesField(1, block.transactionIds[0] as Buffer)
    expect((await client.failureOf('GetTransaction', request)).code).to.equal(status.NOT_FOUND)
    expect(numberOf(await client.call('GetTransactionResult', request), 1), 'status').to.equal(0)
    expect(
      (await client.failureOf('GetCollectionByID', bytesField(1, block.identity.collectionIds[0] as Buffer))).code,
    ).to.equal(status.NOT_FOUND)
    node.advance()
    expect(numberOf(await client.call('GetTransactionResult', request), 1), 'status').to.equal(4)
  })

  it('streams digests, headers and blocks from a height and as the head advances', async () => {
    await start('base', { head: 7 })
    const digests = subscribe('SubscribeBlockDigestsFromStartHeight', atHeight(6))
    const headers = subscribe('SubscribeBlockHeadersFromStartBlockID', bytesField(1, node.chain.block(6).identity.id))
    const blocks = subscribe('SubscribeBlocksFromLatest', varintField(2, 1))
    for (const height of [6, 7]) {
      const digest = await nextOf(digests)
      expect(numberOf(digest, 2)).to.equal(height)
      expect(bytesOf(digest, 1)).to.deep.equal(node.chain.block(height).identity.id)
      expect(timestampNsOf(bytesOf(digest, 3))).to.equal(node.chain.block(height).identity.timestampNs)
      expect(bytesOf(await nextOf(headers), 1)).to.deep.equal(node.chain.block(height).header)
    }
    expect(bytesOf(await nextOf(blocks), 1)).to.deep.equal(node.chain.block(7).full)
    const waiting = [nextOf(digests), nextOf(headers), nextOf(blocks)] as const
    node.advance()
    const [digest, header, block] = await Promise.all(waiting)
    expect(numberOf(digest, 2)).to.equal(8)
    expect(numberOf(bytesOf(header, 1), 3)).to.equal(8)
    expect(numberOf(bytesOf(block, 1), 3)).to.equal(8)
  })

  it('streams many blocks to a slow reader without losing one', async () => {
    await start('base', { loop: true, head: 3000 })
    const blocks = subscribe('SubscribeBlocksFromStartHeight', Buffer.concat([atHeight(1), varintField(3, 1)]))
    for (let height = 1; height <= 3000; height++) {
      expect(numberOf(bytesOf(await nextOf(blocks), 1), 3)).to.equal(height)
    }
  })

  it('rejects a stream from above the head', async () => {
    await start('base', { head: 7 })
    const digests = subscribe('SubscribeBlockDigestsFromStartHeight', atHeight(8))
    const failure = await nextOf(digests).catch((thrown: unknown) => thrown)
    expect((failure as { code: number }).code).to.equal(status.NOT_FOUND)
  })

  it('drops the other branch on a switch, and streams continue at their next height', async () => {
    await start('fork', { version: 'a', head: 15 })
    const headers = subscribe('SubscribeBlockHeadersFromStartHeight', atHeight(15))
    const orphan = node.chain.block(15).identity.id
    expect(bytesOf(bytesOf(await nextOf(headers), 1), 1)).to.deep.equal(orphan)
    node.switchTo('b', 12)
    expect(await headOf()).to.equal(12)
    expect((await client.failureOf('GetBlockByHeight', atHeight(13))).code).to.equal(status.NOT_FOUND)
    expect((await client.failureOf('GetBlockHeaderByID', bytesField(1, orphan))).code).to.equal(status.NOT_FOUND)
    const results = await client.failureOf('GetTransactionResultsByBlockID', bytesField(1, orphan))
    expect(results.code).to.equal(status.INTERNAL)
    const waiting = nextOf(headers)
    node.advance(4)
    const header = bytesOf(await waiting, 1)
    expect(numberOf(header, 3)).to.equal(16)
    expect(bytesOf(header, 2)).to.deep.equal(node.chain.block(15).identity.id)
    expect(node.chain.block(15).identity.id).to.not.deep.equal(orphan)
    node.switchTo('c')
    expect(await headOf()).to.equal(40)
    expect(() => node.switchTo('d')).to.throw("no version 'd', only 'a', 'b', 'c'")
  })

  it('serves orphans by id if configured, with status UNKNOWN', async () => {
    await start('fork', { version: 'a', keepsOrphans: true })
    const [shared, orphan] = [node.chain.block(12), node.chain.block(15)]
    node.switchTo('b')
    const methods = ['GetBlockByID', 'GetBlockHeaderByID']
    const statusesOf = (request: Buffer): Promise<number[]> =>
      Promise.all(methods.map(async (method) => numberOf(await client.call(method, request), 2)))
    expect(await statusesOf(bytesField(1, orphan.identity.id))).to.deep.equal([0, 0])
    expect(await statusesOf(bytesField(1, shared.identity.id))).to.deep.equal([2, 2])
    const light = bytesOf(await client.call('GetBlockByID', bytesField(1, orphan.identity.id)), 1)
    expect(light).to.deep.equal(orphan.light)
    expect((await client.failureOf('GetBlockByID', bytesField(1, Buffer.alloc(32)))).code).to.equal(status.NOT_FOUND)
  })

  it('applies faults to streams, at their start and per message', async () => {
    await start('base', { head: 7 })
    node.inject({ kind: 'status', code: 'UNAVAILABLE', methods: ['SubscribeBlockDigestsFromLatest'], times: 1 })
    const refused = await nextOf(subscribe('SubscribeBlockDigestsFromLatest')).catch((thrown: unknown) => thrown)
    expect((refused as { code: number }).code).to.equal(status.UNAVAILABLE)
    expect(numberOf(await nextOf(subscribe('SubscribeBlockDigestsFromLatest')), 2)).to.equal(7)
    node.inject({ kind: 'wrong-parent' })
    const headers = subscribe('SubscribeBlockHeadersFromLatest')
    expect(bytesOf(bytesOf(await nextOf(headers), 1), 2)).to.not.deep.equal(node.chain.block(6).identity.id)
    const cut = nextOf(headers).catch((thrown: unknown) => thrown)
    node.dropConnections()
    expect(await cut).to.be.instanceOf(Error)
  })

  it('serves nothing below the root of its spork, and reports the root', async () => {
    await start('base', { loop: true, startHeight: 1000, sporkRootHeight: 1100, head: 2000 })
    expect(await client.failureOf('GetBlockHeaderByHeight', atHeight(1099))).to.deep.equal({
      code: status.NOT_FOUND,
      details:
        'block height 1099 is less than the spork root block height 1100. Try to use a historic node: key not found',
    })
    const below = node.chain.block(1099)
    expect((await client.failureOf('GetBlockByID', bytesField(1, below.identity.id))).code).to.equal(status.NOT_FOUND)
    expect(numberOf(bytesOf(await client.call('GetBlockByHeight', atHeight(1100)), 1), 3)).to.equal(1100)
    const info = bytesOf(await client.call('GetNodeVersionInfo'), 1)
    expect([numberOf(info, 5), numberOf(info, 6)]).to.deep.equal([1100, 1100])
    expect(bytesOf(info, 3).length).to.equal(32)
  })

  it('derives the events of a range from its results, up to the head', async () => {
    await start('base', { loop: true, head: 600 })
    const type = 'A.ee82856bf20e2aa6.FungibleToken.Deposited'
    const typeField = bytesField(1, Buffer.from(type))
    const request = Buffer.concat([typeField, varintField(2, 598), varintField(3, 700), varintField(4, 1)])
    const blocks = contentsOf(await client.call('GetEventsForHeightRange', request), 1)
    expect(blocks.map((block) => numberOf(block, 2))).to.deep.equal([598, 599, 600])
    for (const block of blocks) {
      const results = node.chain.block(numberOf(block, 2)).results('ccf')
      const events = results.flatMap((result) => contentsOf(result, 4))
      expect(contentsOf(block, 3)).to.deep.equal(events.filter((event) => bytesOf(event, 1).toString() === type))
    }
    const byIds = Buffer.concat([typeField, bytesField(2, node.chain.block(599).identity.id), varintField(3, 1)])
    expect(contentsOf(await client.call('GetEventsForBlockIDs', byIds), 1)).to.deep.equal([blocks[1]])
  })

  it('serves the transactions of a full collection, and only recorded scripts', async () => {
    await start('base')
    const block = node.chain.block(25)
    const collection = bytesField(1, block.identity.collectionIds[0] as Buffer)
    expect(contentsOf(await client.call('GetFullCollectionByID', collection), 1)).to.deep.equal(
      block.transactions.slice(0, block.recorded.userTransactionCount),
    )
    for (const method of ['ExecuteScriptAtLatestBlock', 'SendTransaction']) {
      expect((await client.failureOf(method)).code, method).to.equal(status.UNIMPLEMENTED)
    }
    expect((await client.failureOf('GetBlockByHeight', Buffer.from([0xff]))).code).to.equal(status.INVALID_ARGUMENT)
  })

  it('does not start on a missing recording', async () => {
    await start('base')
    const port = Number(node.endpoint.split(':')[1])
    const failureOf = async (options: Omit<ReplayNodeOptions, 'recording'>): Promise<string> => {
      try {
        await (await startRecordedNode('base', options)).stop()
      } catch (thrown) {
        return (thrown as Error).message
      }
      throw new Error('it started')
    }
    expect(await failureOf({ port })).to.match(/^Cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/)
    expect(await failureOf({ head: 281 })).to.match(/281 is outside the chain/)
    expect(await failureOf({ version: 'x' })).to.match(/no version 'x'/)
    expect(await failureOf({ startHeight: 100, sporkRootHeight: 99 })).to.match(/99 is below the chain/)
  })
})
