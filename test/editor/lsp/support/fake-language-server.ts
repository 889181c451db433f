import { FrameReader, frameOf } from '../../../../src/editor/language-server/language-server-process.ts'

/**
 * A fake language server for tests, over standard input and output. For each document it publishes one diagnostic
 * whose message is the text. Words in the text trigger faults:
 *
 * - `!crash` exits, `!hang` stops responding, `!late-crash` exits after its diagnostics
 * - `!garbage` writes an invalid frame, `!giant <n>` publishes diagnostics of n bytes, `!deep` a deeply nested message
 * - `!path` puts the path of the document in the message, `!elsewhere` reports locations outside its folder
 *
 * Requests: `textDocument/hover` returns the text of the document, how often it was sent, and the request parameters;
 * `textDocument/definition` the location `uri` of the document; `textDocument/never` never responds,
 * `textDocument/late` responds when cancelled, `textDocument/crash` exits, `textDocument/fail` returns an error with
 * a custom code.
 */

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: {
    readonly [name: string]: unknown
    readonly textDocument?: { uri: string; text?: string; version?: number }
    readonly contentChanges?: { text: string }[]
  }
}

const documents = new Map<string, { text: string; times: number }>()
const cancelled: unknown[] = []
const calls: string[] = []
const late = new Set<number | undefined>()

function send(message: object): void {
  process.stdout.write(frameOf(JSON.stringify({ jsonrpc: '2.0', ...message })))
}

function publish(uri: string, version: number | undefined, text: string): void {
  if (text.includes('!crash')) process.exit(3)
  if (text.includes('!hang')) for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  if (text.includes('!garbage')) process.stdout.write('Content-Length: many\r\n\r\n{}')
  if (text.includes('!deep')) process.stdout.write(frameOf('['.repeat(10_000)))
  const giant = /!giant (\d+)/.exec(text)?.[1]
  const folder = new URL('.', uri).href
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }
  const elsewhere = [uri, 'file:///etc/passwd', `${folder}../somebody/main.cdc`, 'https://example.org/a'].map(
    (other) => ({ location: { uri: other, range }, message: 'see' }),
  )
  send({
    method: 'textDocument/publishDiagnostics',
    params: {
      uri,
      version,
      diagnostics: [
        {
          range,
          message:
            giant === undefined
              ? text.includes('!path')
                ? `cannot read ${new URL(uri).pathname} nor ${uri}`
                : text
              : 'x'.repeat(Number(giant)),
          ...(text.includes('!elsewhere') ? { relatedInformation: elsewhere } : {}),
        },
      ],
    },
  })
  send({ method: 'window/logMessage', params: { type: 3, message: text } })
  if (text.includes('!late-crash')) setTimeout(() => process.exit(4), 20)
}

function answerTo({ id, method, params }: Message): void {
  const uri = params?.textDocument?.uri ?? ''
  const known = documents.get(uri)
  switch (method) {
    case 'initialize':
      return send({
        id,
        result: { capabilities: { textDocumentSync: 1, hoverProvider: true, workspace: { workspaceFolders: {} } } },
      })
    case 'shutdown':
      return send({ id, result: null })
    case 'textDocument/hover':
      return send({ id, result: { contents: known?.text ?? '', times: known?.times ?? 0, params } })
    case 'textDocument/definition':
      return send({
        id,
        result: [
          { uri, range: {} },
          { uri: 'file:///etc/passwd', range: {} },
        ],
      })
    case 'textDocument/state':
      return send({ id, result: { cancelled, calls, environment: Object.keys(process.env) } })
    case 'textDocument/fail':
      return send({
        id,
        error: { code: -32_099, message: `failed in ${new URL(uri).pathname}`, data: { uri, why: 1 } },
      })
    case 'textDocument/crash':
      return process.exit(5)
    case 'workspaceSymbol/resolve':
      return params?.['crash'] === true ? process.exit(6) : send({ id, result: null })
    case 'textDocument/never':
    case 'textDocument/late': {
      if (method === 'textDocument/late') late.add(id)
      return undefined
    }
    case 'textDocument/giant':
      return send({ id, result: 'y'.repeat(Number(params?.['bytes'])) })
    case 'textDocument/ask': {
      send({ id: 77, method: 'workspace/configuration', params: { items: [1, 2] } })
      send({ id: 78, method: 'unknown/thing' })
      return send({ id, result: null })
    }
    default:
      return send({ id, error: { code: -32_601, message: 'unknown' } })
  }
}

function take(message: Message): void {
  const { id, method, params } = message
  if (method === undefined) {
    calls.push(JSON.stringify(message))
    return
  }
  if (id !== undefined) return answerTo(message)
  const uri = params?.textDocument?.uri ?? ''
  const text = params?.textDocument?.text ?? params?.contentChanges?.at(-1)?.text
  if (method === 'exit') process.exit(0)
  if (method === '$/cancelRequest') {
    cancelled.push(params?.['id'])
    if (late.delete(Number(params?.['id'])))
      send({ id: Number(params?.['id']), error: { code: -32_800, message: 'cancelled' } })
  }
  if (method === 'textDocument/didClose') documents.delete(uri)
  if (text === undefined) return
  documents.set(uri, { text, times: (documents.get(uri)?.times ?? 0) + 1 })
  publish(uri, params?.textDocument?.version, text)
}

const reader = new FrameReader(64 * 1024 * 1024)
process.stdin.on('data', (piece: Buffer) => {
  for (const bytes of reader.read(piece)) take(JSON.parse(bytes.toString()) as Message)
})
process.stdin.on('end', () => process.exit(0))
