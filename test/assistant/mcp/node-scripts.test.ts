import { expect } from 'chai'
import { startLedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import { userOfTurn } from '../../../simnode/ledger/world/users.ts'
import { createChainReader } from '../../../src/access/create-chain-reader.ts'
import { scriptReference } from '../../../src/assistant/tools/script-reference.ts'
import { createNodeScriptRunner } from '../../../src/assistant/mcp/script-runners.ts'
import { ScriptNode, cdc, refuse } from '../../support/script-node.ts'
import type { Ledger } from '../../support/script-node.ts'
import { quiet } from '../../support/chain-source.ts'
import type { ConnectedClient } from './support/mcp-clients.ts'
import { codeOf, connectForScripts } from './support/script-client.ts'

const script = 'access(all) fun main(a: UFix64): UFix64 { return a } // 你好'
const argument = { type: 'UFix64', value: '12.50000000' }

describe('run_chain_script on the access nodes of the indexer', () => {
  const stops: (() => Promise<void>)[] = []
  const atEnd = (stop: () => Promise<void>): void => void stops.push(stop)
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const start = async (ledger: Ledger): Promise<ScriptNode> => {
    const node = await ScriptNode.start(ledger)
    atEnd(() => node.stop())
    return node
  }
  const connect = (
    live: readonly { readonly endpoint: string }[],
    historic: readonly { readonly endpoint: string }[] = [],
  ): Promise<ConnectedClient> => {
    const endpointsOf = (nodes: typeof live): string[] => nodes.map(({ endpoint }) => endpoint)
    const reader = createChainReader({
      liveEndpoints: endpointsOf(live),
      historicEndpoints: endpointsOf(historic),
      log: quiet,
    })
    atEnd(() => reader.close())
    return connectForScripts(createNodeScriptRunner(reader), atEnd)
  }

  it('sends script and arguments unchanged and returns the typed value', async () => {
    const node = await start({ script: ({ args }) => args[0] ?? { type: 'Void' } })
    const client = await connect([node])
    const id = 'ab'.repeat(32)
    const { structuredContent } = await client.call('run_chain_script', { script, arguments: [argument] })
    expect(structuredContent).to.deep.equal({ result: argument, error: null, error_code: null })
    for (const at of [
      { block_height: 0 },
      { block_height: '42' },
      { block_height: 'sealed' },
      { block_id: `0x${id}` },
    ]) {
      expect((await client.call('run_chain_script', { script, ...at })).structuredContent).to.deep.include({
        result: { type: 'Void' },
      })
    }
    expect(node.scripts).to.deep.equal([
      { script, args: [argument], height: undefined },
      { script, args: [], height: 0 },
      { script, args: [], height: 42 },
      { script, args: [], height: undefined },
      { script, args: [], height: undefined, blockId: id },
    ])
  })

  it('reports script errors without the name of the node', async () => {
    const cases = [
      [
        'INVALID_ARGUMENT',
        'failed to execute script: [Error Code: 1101] cannot find variable in this scope: `foo`',
        'script-failed',
      ],
      ['RESOURCE_EXHAUSTED', 'computation exceeds limit (100000)', 'script-failed'],
      ['RESOURCE_EXHAUSTED', 'ExecuteScriptAtLatestBlock rate limit reached, please retry later.', 'chain-unavailable'],
      ['UNIMPLEMENTED', 'the simulated chain knows only the scripts of this program', 'chain-unavailable'],
      ['INTERNAL', 'the execution node fell over', 'chain-failed'],
      ['NOT_FOUND', 'block height 7 is less than the spork root block height 9', 'state-not-served'],
    ] as const
    for (const [status, message, code] of cases) {
      const node = await start({ script: () => refuse(status, message) })
      const client = await connect([node])
      const result = await client.call('run_chain_script', { script, block_height: 7 })
      expect(codeOf(result), message).to.equal(code)
      expect(result.structuredContent?.['error']).to.include(message).and.not.include(node.endpoint)
    }
  })

  it('finds a block by id on any node that has it', async () => {
    const recent = await start({ script: () => refuse('NOT_FOUND', 'could not find block') })
    const old = await start({ script: () => cdc.string('old') })
    const client = await connect([recent], [old])
    const { structuredContent } = await client.call('run_chain_script', { script, block_id: 'cd'.repeat(32) })
    expect(structuredContent).to.deep.include({ result: { type: 'String', value: 'old' } })
  })

  it('cancels the call when the caller disconnects', async () => {
    const { promise: began, resolve: begin } = Promise.withResolvers<void>()
    const node = await start({
      script: () => {
        begin()
        return new Promise<never>(() => undefined)
      },
    })
    const reader = createChainReader({ liveEndpoints: [node.endpoint], log: quiet })
    atEnd(() => reader.close())
    const ended = Promise.withResolvers<unknown>()
    const client = await connectForScripts(
      createNodeScriptRunner({
        runScript: (...requested) => {
          const result = reader.runScript(...requested)
          result.catch(ended.resolve)
          return result
        },
      }),
      atEnd,
    )
    const disconnect = new AbortController()
    const call = client.call('run_chain_script', { script }, disconnect.signal).catch((error: unknown) => error)
    await began
    disconnect.abort()
    expect(await call).to.be.an('error')
    expect(await ended.promise).to.be.an('error')
    expect(reader.status()[0]).to.include({ inFlight: 0, failures: 0 })
  })

  it('truncates results at the limit', async () => {
    const node = await start({ script: () => cdc.string('x'.repeat(9 * 1024 * 1024)) })
    const result = await (await connect([node])).call('run_chain_script', { script })
    expect(codeOf(result)).to.equal('chain-failed')
    expect(result.structuredContent?.['error']).to.include('Return less')
  })

  it('runs the example of the reference on the simulated chain', async () => {
    const node = await startLedgerNode({ seed: 8, head: 40 })
    atEnd(() => node.stop())
    const client = await connect([node])
    const address = `0x${userOfTurn(0).hex}`
    const example =
      /```cadence\n(access\(all\) fun main\(address: Address\): UFix64 \{.*?)```/s.exec(
        scriptReference('emulator'),
      )?.[1] ?? ''
    const { structuredContent } = await client.call('run_chain_script', {
      script: example,
      arguments: [{ type: 'Address', value: address }],
      block_height: 12,
    })
    expect(structuredContent?.['result']).to.have.property('type', 'UFix64')
    expect(codeOf(await client.call('run_chain_script', { script: 'access(all) fun main() {}' }))).to.equal(
      'chain-unavailable',
    )
  })
})

describe('script reference', () => {
  it("includes the network's addresses and examples without placeholders", () => {
    for (const [network, flowToken] of [
      ['mainnet', '0x1654653399040a61'],
      ['testnet', '0x7e60df042a9c0868'],
      ['emulator', '0x0ae53cb6e3f42a79'],
    ] as const) {
      const text = scriptReference(network)
      expect(text).to.include(`import FlowToken from ${flowToken}`).and.include(`| FlowToken | ${flowToken} |`)
      expect(text).to.not.match(/0x\{|\{network|import "|\.cdc/)
    }
  })
})
