import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node.js'
import type {
  CompletionItem,
  Diagnostic,
  DocumentSymbol,
  Hover,
  InitializeResult,
  Location,
  PublishDiagnosticsParams,
} from 'vscode-languageserver-protocol'
import type { LanguageServerProgram } from '../../../src/editor/language-server/find-language-server.ts'

/** A language server driven by a test over standard input and output. */
export class ServerDriver implements AsyncDisposable {
  readonly #process
  readonly #connection
  readonly #folder: string
  readonly #published = new Map<string, PublishDiagnosticsParams[]>()
  readonly #waiting = new Set<() => void>()
  #stderr = ''
  initialized: InitializeResult | undefined

  private constructor(program: LanguageServerProgram, folder: string) {
    this.#folder = folder
    this.#process = spawn(program.command, [...program.args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...program.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    this.#process.stderr.on('data', (chunk: Buffer) => {
      this.#stderr += chunk.toString()
    })
    this.#connection = createMessageConnection(
      new StreamMessageReader(this.#process.stdout),
      new StreamMessageWriter(this.#process.stdin),
    )
    this.#connection.onNotification('textDocument/publishDiagnostics', (params: PublishDiagnosticsParams) => {
      this.#published.set(params.uri, [...(this.#published.get(params.uri) ?? []), params])
      for (const look of this.#waiting) look()
    })
    this.#connection.onRequest('client/registerCapability', () => null)
    this.#connection.onError(() => undefined)
    this.#connection.listen()
  }

  /** @param folder root of its documents */
  static async start(program: LanguageServerProgram, folder: string): Promise<ServerDriver> {
    const server = new ServerDriver(program, folder)
    server.initialized = await server.request<InitializeResult>('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(folder).href,
      capabilities: {},
      initializationOptions: program.initializationOptions,
    })
    await server.notify('initialized', {})
    return server
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }
  get stderr(): string {
    return this.#stderr
  }

  uri(path: string): string {
    return pathToFileURL(join(this.#folder, path)).href
  }

  path(uri: string): string {
    return fileURLToPath(uri).slice(this.#folder.length + 1)
  }

  async request<T>(method: string, params: unknown): Promise<T> {
    return this.#connection.sendRequest<T>(method, params)
  }

  async notify(method: string, params: unknown): Promise<void> {
    await this.#connection.sendNotification(method, params)
  }

  /** Opens a document and waits for its diagnostics. */
  async open(path: string, text: string, version = 1): Promise<Diagnostic[]> {
    const before = this.#published.get(this.uri(path))?.length ?? 0
    await this.notify('textDocument/didOpen', {
      textDocument: { uri: this.uri(path), languageId: 'cadence', version, text },
    })
    return this.diagnostics(path, (all) => all.length > before)
  }

  async change(path: string, text: string, version: number): Promise<Diagnostic[]> {
    const before = this.#published.get(this.uri(path))?.length ?? 0
    await this.notify('textDocument/didChange', {
      textDocument: { uri: this.uri(path), version },
      contentChanges: [{ text }],
    })
    return this.diagnostics(path, (all) => all.length > before)
  }

  /** Resolves with the latest diagnostics of a document once they match. */
  async diagnostics(
    path: string,
    isWanted: (all: readonly PublishDiagnosticsParams[]) => boolean = (all) => all.length > 0,
  ): Promise<Diagnostic[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Diagnostic[]>()
    const look = (): void => {
      const all = this.#published.get(this.uri(path)) ?? []
      if (isWanted(all)) resolve(all.at(-1)?.diagnostics ?? [])
    }
    const ended = (): void => reject(new Error(`the language server ended: ${this.#stderr.slice(-2000)}`))
    this.#waiting.add(look)
    this.#process.once('exit', ended)
    look()
    return promise.finally(() => {
      this.#waiting.delete(look)
      this.#process.off('exit', ended)
    })
  }

  /** Number of diagnostics messages for a document. */
  publishedCount(path: string): number {
    return this.#published.get(this.uri(path))?.length ?? 0
  }

  #at(path: string, line: number, character: number): object {
    return { textDocument: { uri: this.uri(path) }, position: { line, character } }
  }

  async hover(path: string, line: number, character: number): Promise<string | undefined> {
    const hover = await this.request<Hover | null>('textDocument/hover', this.#at(path, line, character))
    return hover === null ? undefined : (hover.contents as { value: string }).value
  }

  async completions(path: string, line: number, character: number): Promise<CompletionItem[]> {
    const answer = await this.request<CompletionItem[] | { items: CompletionItem[] } | null>(
      'textDocument/completion',
      this.#at(path, line, character),
    )
    return answer === null ? [] : Array.isArray(answer) ? answer : answer.items
  }

  async definition(path: string, line: number, character: number): Promise<Location | null> {
    return this.request<Location | null>('textDocument/definition', this.#at(path, line, character))
  }

  async symbols(path: string): Promise<DocumentSymbol[]> {
    return this.request<DocumentSymbol[]>('textDocument/documentSymbol', { textDocument: { uri: this.uri(path) } })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.dispose()
    const { exitCode, signalCode } = this.#process
    if (exitCode !== null || signalCode !== null) return
    const exit = once(this.#process, 'exit')
    this.#process.kill('SIGKILL')
    await exit
  }
}
