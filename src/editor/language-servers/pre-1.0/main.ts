import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node.js'
import { OldServers } from './old-servers.ts'

/**
 * The checker of Cadence 0.42, as a program: LSP over its standard input and output, framed by Content-Length. It is a WebAssembly program of 42 MB, which
 * takes some 230 MB of memory. It ends with `exit`, and when its input does.
 */
// The checker writes its log there, and the output is the channel to the client.
const tell = (...words: unknown[]): void => void process.stderr.write(`${words.map(String).join(' ')}\n`)
Object.assign(console, { debug: tell, log: tell })

const binary = await readFile(
  createRequire(import.meta.url)
    .resolve('@onflow/cadence-language-server')
    .replace(/index\.js$/, 'cadence-language-server.wasm'),
)
const { CadenceLanguageServer } = await import('@onflow/cadence-language-server')
const writer = new StreamMessageWriter(process.stdout)
const servers = new OldServers({
  create: (callbacks) => CadenceLanguageServer.create(binary, callbacks),
  send: (message) => void writer.write(message).catch(() => process.exit(0)),
  onExit: (code) => process.exit(code),
})
const reader = new StreamMessageReader(process.stdin)
reader.onClose(() => process.exit(0))
process.stdin.on('end', () => process.exit(0))
process.stdout.on('error', () => process.exit(0))
reader.listen((message) => servers.receive(message))
