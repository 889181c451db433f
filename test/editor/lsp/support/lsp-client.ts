import { once } from 'node:events'
import { WebSocket } from 'ws'

export interface ReceivedMessage {
  readonly type?: string
  readonly id?: number | string | null
  readonly method?: string
  readonly code?: string
  readonly message?: string
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
  readonly params?: Record<string, unknown>
  readonly [name: string]: unknown
}

interface Range {
  readonly start: { line: number; character: number }
  readonly end: { line: number; character: number }
}

/** The messages of `textDocument/publishDiagnostics`. */
export function messagesOf(params: ReceivedMessage['params']): string[] {
  const diagnostics = params?.['diagnostics'] as { message: string }[] | undefined
  return (diagnostics ?? []).map(({ message }) => message)
}

/** A channel client that records all messages. */
export class LspClient {
  readonly socket: WebSocket
  readonly received: ReceivedMessage[] = []
  /** Raw text, to check that it contains no secrets. */
  readonly texts: string[] = []
  readonly #waiting = new Set<() => void>()
  #lastId = 0

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      const text = data.toString()
      this.texts.push(text)
      this.received.push(JSON.parse(text) as ReceivedMessage)
      this.#wake()
    })
    socket.on('close', () => this.#wake())
    socket.on('error', () => this.#wake())
  }

  static async open(port: number, headers: Record<string, string> = {}): Promise<LspClient> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/lsp`, { headers })
    const client = new LspClient(socket)
    await once(socket, 'open')
    return client
  }

  /** A client that has received `ready`. */
  static async ready(port: number, network = 'mainnet', headers: Record<string, string> = {}): Promise<LspClient> {
    const client = await LspClient.open(port, headers)
    client.send({ type: 'init', network })
    await client.next(({ type }) => type === 'ready')
    return client
  }

  send(message: unknown): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  notify(method: string, params: unknown): void {
    this.send({ jsonrpc: '2.0', method, params })
  }

  didOpen(uri: string, text: string, version = 1): void {
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'cadence', version, text } })
  }

  didChange(uri: string, text: string, version: number, range?: Range): void {
    this.notify('textDocument/didChange', {
      textDocument: { uri, version },
      contentChanges: [range === undefined ? { text } : { range, text }],
    })
  }

  /** Sends a request and returns the full response. */
  async ask(method: string, params: unknown, id: number | string = `q${++this.#lastId}`): Promise<ReceivedMessage> {
    const from = this.received.length
    this.send({ jsonrpc: '2.0', id, method, params })
    return this.next((message) => message.id === id && message.method === undefined, from)
  }

  /** The document text, which the fake server returns on hover. */
  async textAt(uri: string): Promise<string> {
    for (;;) {
      const { result, error } = await this.ask('textDocument/hover', {
        textDocument: { uri },
        position: { line: 0, character: 0 },
      })
      if (error === undefined) return (result as { contents: string }).contents
      // Sent if the server crashed meanwhile, so that the client retries.
      if (error.code !== -32_802) throw new Error(error.message)
    }
  }

  /** All published diagnostics messages of a document. */
  diagnosticsOf(uri: string): string[][] {
    return this.received
      .filter(({ method, params }) => method === 'textDocument/publishDiagnostics' && params?.['uri'] === uri)
      .map(({ params }) => messagesOf(params))
  }

  /** Waits for a diagnostic with a matching message. */
  async diagnosed(uri: string, message: string | RegExp, from = 0): Promise<ReceivedMessage> {
    return this.next(
      ({ method, params }) =>
        method === 'textDocument/publishDiagnostics' &&
        params?.['uri'] === uri &&
        messagesOf(params).some((one) => (typeof message === 'string' ? one === message : message.test(one))),
      from,
    )
  }

  /** The first matching message from index `from`. */
  async next(isSo: (message: ReceivedMessage) => boolean, from = 0): Promise<ReceivedMessage> {
    for (let i = from; ; i++) {
      while (i >= this.received.length) {
        if (this.socket.readyState === WebSocket.CLOSED)
          throw new Error(`closed; heard last: ${this.texts.slice(-3).join('\n').slice(0, 2000)}`)
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#waiting.add(resolve)
        await promise
      }
      const message = this.received[i]
      if (message !== undefined && isSo(message)) return message
    }
  }

  async closeCode(): Promise<number> {
    const [code] = (await once(this.socket, 'close')) as [number]
    return code
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.socket, 'close')
    this.socket.resume() // a paused socket does not receive the close
    this.socket.close()
    await closed
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
