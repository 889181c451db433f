import { once } from 'node:events'
import { expect } from 'chai'
import { GrpcJsTransport } from '../../src/access/transport/grpc-js-transport.ts'
import { parseEndpoint } from '../../src/access/transport/endpoint.ts'
import { FatalError } from '../../src/platform/errors.ts'
import { bytesField, bytesOf, contentsOf, numberOf, varintField } from '../node/wire.ts'
import { startLedgerNode } from './ledger-node.ts'
import type { LedgerNode } from './ledger-node.ts'

/** Calls a node as clients do. */
async function ask(node: LedgerNode, method: string, ...request: Buffer[]): Promise<Buffer> {
  const transport = new GrpcJsTransport(parseEndpoint(node.endpoint))
  try {
    return await transport.unary(method, Buffer.concat(request), { timeoutMs: 30_000 })
  } finally {
    await transport.close()
  }
}

/** The id of the block at a height. */
async function idAt(node: LedgerNode, height: number): Promise<string> {
  return bytesOf(bytesOf(await ask(node, 'GetBlockByHeight', varintField(1, height)), 1), 1).toString('hex')
}

async function failureOf(requested: Promise<unknown>): Promise<unknown> {
  return requested.then(
    () => 'an answer',
    (thrown: unknown) => (thrown as { code?: unknown }).code,
  )
}

describe('simulated node', () => {
  it('agrees with other nodes of its seed, each with a separate spork', async () => {
    await using older = await startLedgerNode({ seed: 4, head: 499 })
    await using newer = await startLedgerNode({ seed: 4, head: 900, sporkRootHeight: 500 })
    await using other = await startLedgerNode({ seed: 5, head: 499 })
    const parent = bytesOf(bytesOf(await ask(newer, 'GetBlockByHeight', varintField(1, 500)), 1), 2).toString('hex')
    expect(parent).to.equal(await idAt(older, 499))
    expect(await idAt(other, 499)).not.to.equal(parent)
    expect(await failureOf(idAt(newer, 499))).to.equal('grpc-not-found')
    expect(await failureOf(idAt(older, 500))).to.equal('grpc-not-found')
    expect(numberOf(bytesOf(await ask(newer, 'GetNodeVersionInfo'), 1), 5)).to.equal(500)
  })

  it('switches to a branch at the head, and serves the replaced blocks as orphans', async () => {
    await using node = await startLedgerNode({ seed: 4, head: 300, keepsOrphans: true })
    const [shared, left] = [await idAt(node, 290), await idAt(node, 291)]
    node.switchTo('290b')
    expect(node.head).to.equal(300)
    expect(await idAt(node, 290)).to.equal(shared)
    expect(await idAt(node, 291)).not.to.equal(left)
    const orphan = await ask(node, 'GetBlockByID', bytesField(1, Buffer.from(left, 'hex')))
    expect(numberOf(orphan, 2)).to.equal(0)
    for (const name of ['b', '290', '290B', '290b.280c', '290b.']) {
      expect(() => node.switchTo(name), name).to.throw(FatalError, /invalid branch name/)
    }
  })

  it('advances its head at the interval', async () => {
    await using node = await startLedgerNode({ head: 10, intervalMs: 5 })
    await once(node.events, 'head')
    expect(node.head).to.be.above(10)
  })

  it('has a block of 50,000 events at the configured height', async () => {
    await using node = await startLedgerNode({ head: 250, hugeBlocks: [240] })
    const id = bytesField(1, Buffer.from(await idAt(node, 240), 'hex'))
    const results = contentsOf(await ask(node, 'GetTransactionResultsByBlockID', id, varintField(2, 1)), 1)
    const max = Math.max(...results.map((result) => contentsOf(result, 4).length))
    expect(max).to.equal(50_000)
    const { vaults } = node.chain.stateAt(399)
    const { vaults: next } = node.chain.stateBefore(2)
    for (const key of vaults.touched()) expect(vaults.read(key), key).to.equal(next.read(key))
  })
})
