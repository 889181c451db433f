import { status } from '@grpc/grpc-js'
import { expect } from 'chai'
import { BytesClient } from '../../test/support/grpc-bytes.ts'
import { startRecordedNode } from '../../test/support/replay.ts'
import { ControlServer } from './control-server.ts'
import type { ReplayNode } from '../replay/replay-node.ts'
import { bytesOf, numberOf } from '../node/wire.ts'

describe('control port of the replay node', () => {
  let node: ReplayNode
  let control: ControlServer
  let client: BytesClient

  beforeEach(async () => {
    node = await startRecordedNode('fork')
    control = await ControlServer.listen(node, 0)
    client = new BytesClient(node.endpoint)
  })

  afterEach(async () => {
    client.close()
    await control.close()
    await node.stop()
  })

  interface Answer {
    code: number
    answer: Record<string, unknown>
  }

  async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
    const response = await fetch(`http://127.0.0.1:${control.port}${path}`, { method, ...sent })
    return { code: response.status, answer: (await response.json()) as Record<string, unknown> }
  }

  async function servedHead(): Promise<number> {
    return numberOf(bytesOf(await client.call('GetLatestBlockHeader'), 1), 3)
  }

  it('shows the status', async () => {
    await client.call('Ping')
    expect(await ask('GET', '/status')).to.deep.equal({
      code: 200,
      answer: {
        endpoint: node.endpoint,
        version: 'a',
        versions: ['a', 'b', 'c'],
        head: 20,
        sporkRootHeight: 0,
        calls: 1,
        faults: [],
      },
    })
  })

  it('moves the head and switches branches', async () => {
    expect((await ask('POST', '/head', { height: 15 })).answer['head']).to.equal(15)
    expect((await ask('POST', '/head', { advance: 2 })).answer['head']).to.equal(17)
    expect(await servedHead()).to.equal(17)
    expect((await ask('POST', '/branch', { name: 'b', head: 12 })).answer).to.include({ version: 'b', head: 12 })
    expect(await servedHead()).to.equal(12)
    expect((await ask('POST', '/branch', { name: 'c' })).answer).to.include({ version: 'c', head: 40 })
  })

  it('injects and removes faults', async () => {
    await ask('POST', '/fault', { kind: 'status', code: 'UNAVAILABLE', methods: ['Ping'] })
    expect((await client.failureOf('Ping')).code).to.equal(status.UNAVAILABLE)
    expect((await ask('GET', '/status')).answer['faults']).to.deep.equal([
      { fault: { kind: 'status', code: 'UNAVAILABLE', methods: ['Ping'] }, hits: 1 },
    ])
    expect((await ask('DELETE', '/faults')).answer['faults']).to.deep.equal([])
    await client.call('Ping')
  })

  it('drops connections', async () => {
    await client.call('Ping')
    node.inject({ kind: 'never-answer', methods: ['GetNetworkParameters'] })
    const called = new Promise((resolve) => {
      node.events.once('call', resolve)
    })
    const held = client.failureOf('GetNetworkParameters')
    await called
    await ask('POST', '/drop')
    expect((await held).code).to.equal(status.UNAVAILABLE)
  })

  it('rejects invalid requests without changes', async () => {
    for (const [method, path, body, code] of [
      ['POST', '/head', { height: 21 }, 400],
      ['POST', '/head', { advance: 0 }, 400],
      ['POST', '/head', 'no JSON', 400],
      ['POST', '/branch', { name: 'z' }, 400],
      ['POST', '/fault', { kind: 'nonsense' }, 400],
      ['GET', '/nowhere', undefined, 404],
      ['GET', '/head', undefined, 404],
    ] as const) {
      const refused = await ask(method, path, body)
      expect(refused.code, `${method} ${path}`).to.equal(code)
      expect(refused.answer['error']).to.be.a('string').that.is.not.equal('')
    }
    expect((await ask('GET', '/status')).answer).to.include({ version: 'a', head: 20 })
  })
})
