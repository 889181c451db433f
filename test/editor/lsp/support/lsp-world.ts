import { join } from 'node:path'
import { pino } from 'pino'
import { Metrics } from '../../../../src/base/metrics.ts'
import { addressList, clientReader } from '../../../../src/base/client-address.ts'
import type { LanguageServerProgram } from '../../../../src/editor/language-servers/language-server-program.ts'
import { createLspServer } from '../../../../src/editor/lsp/lsp-server.ts'
import type { LspServer, LspServerOptions } from '../../../../src/editor/lsp/lsp-server.ts'
import type { LspLimits } from '../../../../src/editor/lsp/lsp-limits.ts'
import { LspClient } from './lsp-client.ts'
import { plainWorkspaces } from './plain-workspaces.ts'
import type { PlainWorkspaces } from './plain-workspaces.ts'

/** The language server of these tests, as a program. */
export const doubleProgram: LanguageServerProgram = {
  kind: 'parser', label: 'A double', command: process.execPath, args: [join(import.meta.dirname, 'double-language-server.ts')],
}

/** What is short in tests, so that they need not wait. */
const quick: Partial<LspLimits> = { backoffMs: 10, longestBackoffMs: 100, probeMs: 20, settleMs: 100, stableMs: 0 }

export interface LspWorld extends AsyncDisposable {
  readonly server: LspServer
  readonly workspaces: PlainWorkspaces
  readonly metrics: Metrics
  readonly logged: readonly string[]
  /** A client that was told `ready`. It ends with the world. */
  client(network?: string): Promise<LspClient>
  /** One that has said nothing. */
  stranger(headers?: Record<string, string>): Promise<LspClient>
}

/** A channel with the double behind it, unless options say otherwise. */
export async function lspWorld(
  { limits, fetch, ...options }: Partial<Omit<LspServerOptions, 'workspaces'>> & { readonly fetch?: Parameters<typeof plainWorkspaces>[0] } = {},
): Promise<LspWorld> {
  const workspaces = await plainWorkspaces(fetch)
  const logged: string[] = []
  const metrics = new Metrics()
  const clients: LspClient[] = []
  const server = await createLspServer({
    host: '127.0.0.1', port: 0, log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) }), metrics,
    clientOf: clientReader(addressList([])), program: doubleProgram, workspaces, networks: ['mainnet', 'testnet'], ...options, limits: { ...quick, ...limits },
  })
  const kept = async (client: Promise<LspClient>): Promise<LspClient> => {
    const opened = await client
    clients.push(opened)
    return opened
  }
  return {
    server, workspaces, metrics, logged,
    client: (network) => kept(LspClient.ready(server.port, network)),
    stranger: (headers) => kept(LspClient.open(server.port, headers)),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(clients.map((client) => client.close()))
      await server.close()
      await workspaces.close()
    },
  }
}
