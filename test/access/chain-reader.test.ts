import { expect } from 'chai'
import type { ClosableChainReader, ChainReaderOptions } from '../../src/access/create-chain-reader.ts'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import {
  ChainCallFailedError,
  ChainUnavailableError,
  ScriptFailedError,
  StateNotServedError,
} from '../../src/flow/chain-reader.ts'
import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import { PayloadError } from '../../src/flow/payload-value.ts'
import { ScriptNode, cdc, refuse } from '../support/script-node.ts'
import type { Ledger } from '../support/script-node.ts'
import { quiet } from '../support/chain-source.ts'
import { startRecordedNode } from '../support/replay.ts'

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('it did not fail')
}

describe('the chain reader', () => {
  const nodes: ScriptNode[] = []
  const readers: ClosableChainReader[] = []

  async function start(ledger: Ledger = {}, options: { readonly rootHeight?: number } = {}): Promise<ScriptNode> {
    const node = await ScriptNode.start(ledger, options)
    nodes.push(node)
    return node
  }

  function readerOf(
    of: readonly { readonly endpoint: string }[],
    options: Partial<ChainReaderOptions> = {},
  ): ClosableChainReader {
    const reader = createChainReader({ liveEndpoints: of.map(({ endpoint }) => endpoint), log: quiet, ...options })
    readers.push(reader)
    return reader
  }

  afterEach(async () => {
    await Promise.all(readers.splice(0).map((reader) => reader.close()))
    await Promise.all(nodes.splice(0).map((node) => node.stop()))
  })

  it('runs a script with arguments at the latest state and at a height, and returns its value in event format', async () => {
    const node = await start({ script: ({ args }) => cdc.array([...args, cdc.optional(cdc.ufix64('1.50000000'))]) })
    const reader = readerOf([node])
    const args = [cadence.address('0xf8d6e0586b0a20c7'), cadence.array([cadence.uint64(7)])]
    expect(await reader.executeScript('access(all) fun main() {}', args)).to.deep.equal([
      '0xf8d6e0586b0a20c7',
      ['7'],
      '1.50000000',
    ])
    await reader.executeScript('s', [], { height: 120 })
    await reader.executeScript('s', [], { height: 0 })
    expect(node.scripts.map(({ script, height }) => [script, height])).to.deep.equal([
      ['access(all) fun main() {}', undefined],
      ['s', 120],
      ['s', 0],
    ])
  })

  it('returns accounts as recorded, with code by contract name', async () => {
    await using node = await startRecordedNode('base')
    const reader = readerOf([node])
    const account = await reader.getAccount('0x179b6b1cb6755e31')
    expect([...(account?.contracts.keys() ?? [])].toSorted()).to.deep.equal([
      'MossPoints',
      'PaperBoats',
      'PebbleCoin',
      'RiverStones',
    ])
    expect(account?.contracts.get('RiverStones')?.toString()).to.include('access(all) contract RiverStones')
    expect(account?.address).to.equal('0x179b6b1cb6755e31')
    expect(account?.balance).to.match(/^\d+\.\d{8}$/)
    expect(account?.keys[0]).to.include({ index: 0, isRevoked: false })
    expect(await reader.getAccount('0xf4a3472b32eac8d8')).to.equal(undefined)
    expect(await reader.getAccount('0x0102030405060708')).to.equal(undefined)
    const script = await rejection(reader.executeScript('s', []))
    expect(script).to.be.instanceOf(ChainUnavailableError)
  })

  it('returns exact balances and keys', async () => {
    const node = await start({ account: () => ({ A: 'code' }) })
    const account = await readerOf([node]).getAccount('0xf8d6e0586b0a20c7', { height: 9 })
    expect(account).to.deep.equal({
      address: '0xf8d6e0586b0a20c7',
      balance: '1.50000001',
      contracts: new Map([['A', Buffer.from('code')]]),
      keys: [
        {
          index: 2,
          publicKey: 'ab',
          signatureAlgorithm: 2,
          hashAlgorithm: 3,
          weight: 1000,
          sequenceNumber: 0,
          isRevoked: false,
        },
      ],
    })
    expect(node.accounts).to.deep.equal([{ address: 'f8d6e0586b0a20c7', height: 9 }])
  })

  it('returns script errors, including exceeded limits, without trying another node', async () => {
    for (const [status, message] of [
      ['INVALID_ARGUMENT', 'failed to execute script: [Error Code: 1101] cadence runtime error'],
      [
        'RESOURCE_EXHAUSTED',
        'script execution computation limit exceeded: [Error Code: 1110] computation exceeds limit (100000)',
      ],
    ] as const) {
      const pair = [
        await start({ script: () => refuse(status, message) }),
        await start({ script: () => refuse(status, message) }),
      ]
      const reader = readerOf(pair)
      const error = await rejection(reader.executeScript('s', []))
      expect(error).to.be.instanceOf(ScriptFailedError)
      expect(String(error)).to.include(message)
      expect(pair.flatMap(({ scripts }) => scripts)).to.have.lengthOf(1)
      expect(
        reader
          .status()
          .every(({ resting, requestsPerSecond }) => resting === undefined && requestsPerSecond === undefined),
      ).to.equal(true)
    }
  })

  it('fails over if a node is down, slow to connect or lacks the state', async () => {
    const good = await start({ script: () => cdc.bool(true) })
    for (const bad of [
      await start({ script: () => refuse('UNAVAILABLE', 'going down') }),
      await start({
        script: () =>
          refuse('RESOURCE_EXHAUSTED', 'ExecuteScriptAtLatestBlock rate limit reached, please retry later.'),
      }),
      await start({ script: () => refuse('OUT_OF_RANGE', 'the height is not indexed') }),
      await start(),
    ]) {
      const reader = readerOf([bad, good])
      for (let i = 0; i < 3; i++) expect(await reader.executeScript('s', [], { height: 5 })).to.equal(true)
    }
  })

  it('routes old states to nodes that have them, and reports unavailable states', async () => {
    const [old, recent] = [
      await start({ script: () => cdc.string('old') }),
      await start({ script: () => cdc.string('new') }, { rootHeight: 100 }),
    ]
    const reader = readerOf([recent], { historicEndpoints: [old.endpoint] })
    expect(await reader.executeScript('s', [], { height: 99 })).to.equal('old')
    expect(await reader.executeScript('s', [], { height: 100 })).to.equal('new')
    expect(await reader.executeScript('s', [])).to.equal('new')
    expect(await rejection(readerOf([recent]).executeScript('s', [], { height: 99 }))).to.be.instanceOf(
      StateNotServedError,
    )
    const behind = await start({ script: () => refuse('NOT_FOUND', 'block at height 7 is not sealed') })
    expect(await rejection(readerOf([behind]).executeScript('s', [], { height: 7 }))).to.be.instanceOf(
      StateNotServedError,
    )
  })

  it('reports unreachable nodes and timeouts', async () => {
    const away = await start({ script: () => refuse('UNAVAILABLE', 'away') })
    expect(await rejection(readerOf([away]).executeScript('s', []))).to.be.instanceOf(ChainUnavailableError)
    const limited = await start({
      script: () => refuse('RESOURCE_EXHAUSTED', 'ExecuteScriptAtLatestBlock rate limit reached, please retry later.'),
    })
    expect(await rejection(readerOf([limited]).executeScript('s', []))).to.be.instanceOf(ChainUnavailableError)
    const slow = await start({ script: () => new Promise<never>(() => undefined) })
    expect(await rejection(readerOf([slow], { timeoutMs: 50 }).executeScript('s', []))).to.be.instanceOf(
      ChainCallFailedError,
    )
    const garbled = await start({ script: () => ({ type: 'Nothing' }) })
    expect(await rejection(readerOf([garbled]).executeScript('s', []))).to.be.instanceOf(PayloadError)
  })

  it('rejects with the reason of the signal, and after close', async () => {
    const slow = await start({ script: () => new Promise<never>(() => undefined) })
    const reader = readerOf([slow])
    const controller = new AbortController()
    const reason = new Error('enough')
    const asking = rejection(reader.executeScript('s', [], { signal: controller.signal }))
    controller.abort(reason)
    expect(await asking).to.equal(reason)
    const other = rejection(reader.executeScript('s', []))
    await reader.close()
    expect(await other).to.be.instanceOf(ChainUnavailableError)
    expect(await rejection(reader.getAccount('0xf8d6e0586b0a20c7'))).to.be.instanceOf(ChainUnavailableError)
  })

  it('respects its rate limit', async () => {
    const node = await start({ script: () => cdc.bool(true) })
    const reader = readerOf([node], { requestsPerSecond: 20, burst: 1 })
    await reader.executeScript('s', [])
    const startedAt = performance.now()
    await Promise.all([1, 2, 3, 4].map(() => reader.executeScript('s', [])))
    expect(performance.now() - startedAt).to.be.greaterThan(150)
  })
})
