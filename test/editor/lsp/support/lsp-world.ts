import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pino } from 'pino'
import { Metrics } from '../../../../src/platform/metrics.ts'
import { addressList, clientReader } from '../../../../src/platform/limits/clients.ts'
import type { Client } from '../../../../src/platform/limits/clients.ts'
import type { LanguageServerProgram } from '../../../../src/editor/language-server/find-language-server.ts'
import { createLspServer } from '../../../../src/editor/lsp/lsp-server.ts'
import type { LspServer, LspServerOptions } from '../../../../src/editor/lsp/lsp-server.ts'
import type { LspLimits } from '../../../../src/editor/language-server/lsp-limits.ts'
import { manualClock } from './manual-clock.ts'
import type { ManualClock } from './manual-clock.ts'
import { LspClient } from './lsp-client.ts'
import { plainWorkspaces } from './plain-workspaces.ts'
import type { PlainWorkspaces } from './plain-workspaces.ts'

/** The fake language server of these tests. */
export const fakeServerProgram: LanguageServerProgram = {
  kind: 'parser',
  label: 'A double',
  command: process.execPath,
  args: [join(import.meta.dirname, 'fake-language-server.ts')],
}

/** Request header with the client address in tests. */
export const addressHeader = 'x-test-address'

/** Without the header, the address is that of the socket. */
export function clientOf(request: IncomingMessage): Client {
  const client = clientReader(addressList([]))(request)
  const address = request.headers[addressHeader]
  return typeof address === 'string' ? { ...client, address } : client
}

/** Short delays keep tests fast. */
const quick: Partial<LspLimits> = { backoffMs: 10, longestBackoffMs: 100, probeMs: 20, settleMs: 100, stableMs: 0 }

export interface LspWorld extends AsyncDisposable {
  readonly server: LspServer
  readonly workspaces: PlainWorkspaces
  readonly metrics: Metrics
  readonly logged: readonly string[]
  /** Clock for document retries. */
  readonly clock: ManualClock
  /**
   * A client that has received `ready`, with a unique address unless given. Closed with the world.
   */
  client(network?: string, address?: string): Promise<LspClient>
  /** A client that has sent nothing. */
  otherUser(headers?: Record<string, string>): Promise<LspClient>
}

/** A channel with the fake server, unless options replace it. */
export async function lspWorld({
  limits,
  fetch,
  ...options
}: Partial<Omit<LspServerOptions, 'workspaces'>> & {
  readonly fetch?: Parameters<typeof plainWorkspaces>[0]
} = {}): Promise<LspWorld> {
  const workspaces = await plainWorkspaces(fetch)
  const logged: string[] = []
  const metrics = new Metrics()
  const clock = manualClock()
  const clients: LspClient[] = []
  let lastAddress = 0
  const server = await createLspServer({
    host: '127.0.0.1',
    port: 0,
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }),
    metrics,
    clientOf,
    program: fakeServerProgram,
    workspaces,
    clock,
    networks: ['mainnet', 'testnet'],
    ...options,
    limits: { ...quick, ...limits },
  })
  const kept = async (client: Promise<LspClient>): Promise<LspClient> => {
    const opened = await client
    clients.push(opened)
    return opened
  }
  return {
    server,
    workspaces,
    metrics,
    logged,
    clock,
    client: (network, address = `2001:db8:0:${(++lastAddress).toString(16)}::1`) =>
      kept(LspClient.ready(server.port, network, { [addressHeader]: address })),
    otherUser: (headers) => kept(LspClient.open(server.port, headers)),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.close()))
      await server.close()
      await workspaces.close()
    },
  }
}
