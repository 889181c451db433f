import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { LanguageServerProcess } from '../../../../src/editor/lsp/language-server-process.ts'
import { LspClient } from '../support/lsp-client.ts'
import { addressHeader, doubleProgram } from '../support/lsp-world.ts'
import { startLspProgram } from './lsp-program.ts'
import { quantile } from '../../../../scripts/bench/farm/quantile.ts'
import { peakMemoryMiB } from '../../../../scripts/bench/process-usage.ts'
import { readOptions } from '../../../../scripts/bench/read-options.ts'

/**
 * `node test/editor/lsp/bench/run-bench.ts`: how much later an answer of a language server comes through the channel than from the process itself, and the memory of the
 * channel with many connections that each have a document open and change it. The channel and the language server are processes of their own.
 */

const { values } = readOptions(import.meta.filename, {
  options: {
    requests: { type: 'string', default: '2000' },
    connections: { type: 'string', default: '200' },
    lines: { type: 'string', default: '300' },
  },
})
const [requests, connections] = [Number(values.requests), Number(values.connections)]
const uri = 'file:///main.cdc'
const text = '    access(all) fun transfer(amount: UFix64, to: Address): Bool { return true }\n'.repeat(
  Number(values.lines),
)
const write = (line: string): boolean => process.stdout.write(`${line}\n`)
const times = (all: readonly number[]): string =>
  `median ${quantile(all, 0.5).toFixed(3)} ms, p95 ${quantile(all, 0.95).toFixed(3)} ms, p99 ${quantile(all, 0.99).toFixed(3)} ms`

/** Times of as many rounds, one after the other; the first ones, which compile, are left out. */
async function timed(run: (n: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = []
  for (let n = 0; n < requests + 200; n++) {
    const begin = performance.now()
    await run(n)
    all.push(performance.now() - begin)
  }
  return all.slice(200)
}

/** Asks the process itself. */
async function direct(folder: string): Promise<{ small: number[]; change: number[] }> {
  let resolve: (message: unknown) => void = () => undefined
  let last = 0
  const server = new LanguageServerProcess({
    program: doubleProgram,
    folder,
    environment: {},
    mostMessageBytes: 2 ** 26,
    onEnd: () => undefined,
    onMessage: (message) => (message as { id?: number }).id === last && resolve(message),
  })
  const ask = (method: string, params: unknown): Promise<unknown> => {
    last++
    const { promise, resolve: done } = Promise.withResolvers<unknown>()
    resolve = done
    server.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }))
    return promise
  }
  const about = { textDocument: { uri } }
  await ask('initialize', {})
  const small = await timed(() => ask('textDocument/definition', about))
  const change = await timed((version) => {
    server.send(
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'textDocument/didChange',
        params: { textDocument: { uri, version }, contentChanges: [{ text }] },
      }),
    )
    return ask('textDocument/definition', about)
  })
  await server.stop(1000)
  return { small, change }
}

const folder = await mkdtemp(join(tmpdir(), 'flowfarm-bench-lsp-'))
const program = await startLspProgram()
try {
  write(
    `The channel: ${availableParallelism()} cores for it, the language server and those who ask, Node ${process.version}; a document of ${Buffer.byteLength(text)} bytes, ${requests} rounds`,
  )
  const plain = await direct(folder)
  const client = await LspClient.ready(program.port)
  const about = { textDocument: { uri } }
  client.didOpen(uri, text)
  const small = await timed(() => client.ask('textDocument/definition', about))
  const change = await timed((version) => {
    client.didChange(uri, 'x', version, { start: { line: 1, character: 4 }, end: { line: 1, character: 5 } })
    return client.ask('textDocument/definition', about)
  })
  write(`a request, from the process:                 ${times(plain.small)}`)
  write(`a request, through the channel:              ${times(small)}`)
  write(`a change and a request, from the process:    ${times(plain.change)}`)
  write(`a change and a request, through the channel: ${times(change)}`)
  await client.close()
  const before = peakMemoryMiB(program.pid)
  const clients = await Promise.all(
    Array.from({ length: connections }, (_, at) =>
      LspClient.ready(program.port, 'mainnet', { [addressHeader]: `2001:db8:0:${at.toString(16)}::1` }),
    ),
  )
  await Promise.all(
    clients.map(async (one) => {
      one.didOpen(uri, text)
      for (let version = 2; version < 12; version++) {
        one.didChange(uri, 'y', version, {
          start: { line: version, character: 4 },
          end: { line: version, character: 5 },
        })
        await one.ask('textDocument/definition', about)
      }
    }),
  )
  write(
    `${connections} connections, each with its document: at most ${Math.round(peakMemoryMiB(program.pid))} MiB of memory of the channel (${Math.round(before)} MiB before)`,
  )
  await Promise.all(clients.map((one) => one.close()))
} finally {
  await program.end()
  await rm(folder, { recursive: true, force: true })
}
