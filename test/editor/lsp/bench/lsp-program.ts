import { fork } from 'node:child_process'
import { once } from 'node:events'
import { lspWorld } from '../support/lsp-world.ts'
import { defaultLspLimits } from '../../../../src/editor/lsp/lsp-limits.ts'

/** The channel as a process of its own, with the language server of the tests behind it. */
export interface LspProgram {
  readonly port: number
  readonly pid: number
  end(): Promise<void>
}

export async function startLspProgram(): Promise<LspProgram> {
  const child = fork(import.meta.filename)
  const [{ port }] = await once(child, 'message') as [{ port: number }]
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
  const world = await lspWorld({ limits: { ...defaultLspLimits, messagesPerSecond: 100_000 } })
  process.send({ port: world.server.port })
  process.once('disconnect', () => void world[Symbol.asyncDispose]())
}
