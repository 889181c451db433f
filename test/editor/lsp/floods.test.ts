import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { burstSeconds, workUnits } from '../../../src/editor/lsp/client-shares.ts'
import { defaultLspLimits } from '../../../src/editor/language-server/lsp-limits.ts'
import type { DeployFeed } from '../../../src/editor/lsp/deploy-subscriptions.ts'
import { RawWebSocket } from '../../support/raw-websocket.ts'
import type { FloodOptions } from './support/flood-clients.ts'
import { addressHeader, lspWorld } from './support/lsp-world.ts'
import type { LspWorld } from './support/lsp-world.ts'

const origin = { line: 0, character: 0 }
const main = 'file:///main.cdc'
const address = '2001:db8:ffff::1'

/** Cost of a flood in the channel, measured while a client of another address uses it. */
interface FloodCost {
  /** CPU time of the channel's thread, ms. */
  readonly cpuMs: number
  readonly elapsedMs: number
}

/** @param roundTrips requests of a client at another address, which the flood must not delay */
async function flood(
  world: LspWorld,
  messages: readonly unknown[],
  { connections = 45, messagesPerConnection = 1000, roundTrips = 100 } = {},
): Promise<FloodCost> {
  const honest = await world.client()
  honest.didOpen(main, 'fine')
  const workerData: FloodOptions = {
    port: world.server.port,
    headers: { [addressHeader]: address },
    connections,
    messagesPerConnection,
    messages: messages.map((message) => JSON.stringify(message)),
  }
  const [cpu, since] = [process.threadCpuUsage(), performance.now()]
  const worker = new Worker(join(import.meta.dirname, 'support/flood-clients.ts'), { workerData })
  try {
    await once(worker, 'message')
    for (let round = 0; round < roundTrips; round++) expect(await honest.textAt(main)).to.equal('fine')
    const { user, system } = process.threadCpuUsage(cpu)
    return { cpuMs: (user + system) / 1000, elapsedMs: performance.now() - since }
  } finally {
    await worker.terminate()
  }
}

/**
 * Maximum units that one address may have used. A message started with the last unit may exceed the
 * budget, once per connection.
 */
function maxUnits(elapsedMs: number, connections: number, dearest: number): number {
  return defaultLspLimits.addressWorkPerSecond * (burstSeconds + elapsedMs / 1000) + connections * dearest
}

describe('floods of the language server channel', () => {
  it('of network changes are limited across all connections of an address', async () => {
    await using world = await lspWorld()
    const opened = world.workspaces.opened
    const { cpuMs, elapsedMs } = await flood(world, [
      { type: 'init', network: 'mainnet' },
      { type: 'init', network: 'testnet' },
    ])
    const changes = world.workspaces.opened - opened
    expect(changes).to.be.at.most(1 + maxUnits(elapsedMs, 45, workUnits.networkChange) / workUnits.networkChange)
    expect(cpuMs).to.be.below(3000)
  })

  const open = (name: string): object => ({
    jsonrpc: '2.0',
    method: 'textDocument/didOpen',
    params: {
      textDocument: { uri: `file:///${name}.cdc`, languageId: 'cadence', version: 1, text: 'x'.repeat(20_000) },
    },
  })
  const change = (name: string): object => ({
    jsonrpc: '2.0',
    method: 'textDocument/didChange',
    params: {
      textDocument: { uri: `file:///${name}.cdc`, version: 2 },
      contentChanges: [{ range: { start: origin, end: origin }, text: 'y' }],
    },
  })
  const close = (name: string): object => ({
    jsonrpc: '2.0',
    method: 'textDocument/didClose',
    params: { textDocument: { uri: `file:///${name}.cdc` } },
  })
  const init = { type: 'init', network: 'mainnet' }
  const request = {
    jsonrpc: '2.0',
    id: 1,
    method: 'textDocument/hover',
    params: { textDocument: { uri: 'file:///a.cdc' }, position: origin },
  }
  const floods: Record<string, readonly object[]> = {
    'documents that are opened and closed': [init, open('a'), close('a')],
    'changes of one character in two documents in turn': [
      init,
      open('a'),
      open('b'),
      ...Array.from({ length: 300 }, () => [change('a'), change('b')]).flat(),
    ],
    'requests that are cancelled at once': [
      init,
      request,
      { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } },
    ],
    'subscriptions that are taken back': [
      { type: 'subscribe:deploy', project_id: 'a' },
      { type: 'unsubscribe:deploy', project_id: 'a' },
    ],
    'messages of no known type': [{ type: 'nothing' }],
  }
  for (const [name, messages] of Object.entries(floods)) {
    it(`of ${name} do not delay clients of other addresses`, async () => {
      let subscribed = 0
      const deploys: DeployFeed = {
        subscribe: () => {
          subscribed++
          return Promise.resolve(() => undefined)
        },
      }
      await using world = await lspWorld({ deploys })
      const { cpuMs, elapsedMs } = await flood(world, messages, { roundTrips: 20 })
      expect(cpuMs).to.be.below(3000 + elapsedMs / 4)
      expect(subscribed).to.be.at.most(maxUnits(elapsedMs, 45, workUnits.subscription) / workUnits.subscription)
    })
  }

  it('of new connections are rejected until the budget of the address recovers', async () => {
    await using world = await lspWorld({ limits: { addressWorkPerSecond: (4 * workUnits.connection) / burstSeconds } })
    for (let number = 0; number < 5; number++) await (await world.otherUser({ [addressHeader]: address })).close()
    const sameNetwork = await RawWebSocket.open(
      world.server.port,
      '/lsp',
      `${addressHeader}: ${address.replace(/1$/, '2')}\r\n`,
    )
    expect(sameNetwork.answer)
      .to.match(/^HTTP\/1.1 429 /)
      .and.to.include('"code":"rate-limited"')
      .and.to.match(/Reconnect in \d+ s/)
    await (await world.otherUser({ [addressHeader]: '2001:db8:fffe::1' })).close()
  })
})
