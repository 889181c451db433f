import { fork } from 'node:child_process'
import { once } from 'node:events'
import { pino } from 'pino'
import { Metrics } from '../../../../src/platform/metrics.ts'
import { createImportWorkspaces } from '../../../../src/editor/imports/create-import-workspaces.ts'
import { defaultLspLimits } from '../../../../src/editor/lsp/lsp-limits.ts'
import { createLspServer } from '../../../../src/editor/lsp/lsp-server.ts'
import { clientOf, doubleProgram } from '../support/lsp-world.ts'

/** The channel as a process of its own, with the language server of the tests behind it. */
export interface LspProgram {
  readonly port: number
  readonly pid: number
  end(): Promise<void>
}

export async function startLspProgram(): Promise<LspProgram> {
  const child = fork(import.meta.filename)
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  return {
    port,
    pid: child.pid as number,
    end: async () => {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

if (process.argv[1] === import.meta.filename && process.send !== undefined) {
  const log = pino({ level: 'silent' })
  // As in production, on a chain without contracts.
  const workspaces = await createImportWorkspaces({ source: { contractsOf: () => Promise.resolve(undefined) }, log })
  const server = await createLspServer({
    host: '127.0.0.1',
    port: 0,
    log,
    metrics: new Metrics(),
    program: doubleProgram,
    workspaces,
    networks: ['mainnet', 'testnet'],
    allowsOrigin: () => true,
    clientOf,
    limits: { ...defaultLspLimits, workPerSecond: 100_000, addressWorkPerSecond: 100_000 },
  })
  process.send({ port: server.port })
  process.once('disconnect', () => void server.close().then(() => workspaces.close()))
}
