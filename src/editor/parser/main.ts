import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node.js'
import { ParserServer } from './parser-server.ts'
import { ReaderThreads } from './reader-threads.ts'

/** LSP over stdin and stdout. Ends with `exit` or its input. */
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
connection.onClose(() => end(0))
process.stdout.on('error', () => end(0))
connection.onError(([error]) => process.stderr.write(`${error.message}\n`))
new ParserServer({ connection, readers, onExit: end }).listen()
