import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node.js'
import { ParserServer } from './parser-server.ts'
import { ReaderThreads } from './reader-threads.ts'

/**
 * The language server on the parser of Cadence 1.0, as a program: LSP over its standard input and output, framed by Content-Length. It ends with `exit`, and
 * when its input does.
 */
const readers = new ReaderThreads()
const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
)
const end = (code: number): void => {
  process.exitCode = code
  connection.dispose()
  process.stdin.destroy()
  void readers.close()
}
// Whoever started it is gone; nobody is left to be told of it.
connection.onClose(() => end(0))
process.stdout.on('error', () => end(0))
connection.onError(([error]) => process.stderr.write(`${error.message}\n`))
new ParserServer({ connection, readers, onExit: end }).listen()
