import { ErrorCodes, ResponseError } from 'vscode-jsonrpc'
import type { MessageConnection } from 'vscode-jsonrpc'
import { DiagnosticSeverity, PositionEncodingKind, TextDocumentSyncKind } from 'vscode-languageserver-protocol'
import type {
  Diagnostic,
  DidChangeTextDocumentParams,
  DidCloseTextDocumentParams,
  DidOpenTextDocumentParams,
  InitializeResult,
  RenameParams,
  TextDocumentPositionParams,
} from 'vscode-languageserver-protocol'
import { ImportedFiles } from './linked-source.ts'
import { diagnosticSource } from './parse-source.ts'
import { UnreadableSource } from '../../flow/cadence/parser-thread.ts'
import type { ReaderThreads } from './reader-threads.ts'
import type { SourceAnswers, SourceQuestion } from './source-reader.ts'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { asError } from '../../platform/errors.ts'

interface ParserServerOptions {
  readonly connection: MessageConnection
  readonly readers: ReaderThreads
  /** Delay between a change and its check. Default 30 ms. */
  readonly pauseMs?: number
  readonly onExit: (code: number) => void
}

/** UTF-16 units; chain contracts have up to about 200,000. */
const maxSourceLength = 1_000_000
const maxDocuments = 20_000

const capabilities: InitializeResult['capabilities'] = {
  positionEncoding: PositionEncodingKind.UTF16,
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
  completionProvider: { triggerCharacters: ['.'] },
  hoverProvider: true,
  definitionProvider: true,
  documentHighlightProvider: true,
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  renameProvider: true,
}

export const parserServerName = 'Cadence 1.0 parser: syntax only, no types'

/** Checks documents shortly after their last change. */
export class ParserServer {
  readonly #options: Required<ParserServerOptions>
  readonly #documents = new Map<string, TextDocument>()
  readonly #checks = new Map<string, NodeJS.Timeout>()
  readonly #isChecking = new Set<string>()
  readonly #lastGood = new Map<string, Map<string, unknown>>()
  readonly #imported: ImportedFiles
  #isStopping = false

  constructor({ pauseMs = 30, ...options }: ParserServerOptions) {
    this.#options = { pauseMs, ...options }
    this.#imported = new ImportedFiles((uri) => this.#documents.get(uri)?.getText())
  }

  listen(): void {
    const { connection, onExit } = this.#options
    connection.onRequest('initialize', (): InitializeResult => ({
      capabilities,
      serverInfo: { name: parserServerName },
    }))
    connection.onRequest('shutdown', () => {
      this.#isStopping = true
      return null
    })
    connection.onNotification('exit', () => onExit(this.#isStopping ? 0 : 1))
    connection.onNotification(
      'textDocument/didOpen',
      ({ textDocument: { uri, version, text } }: DidOpenTextDocumentParams) => {
        if (this.#documents.size >= maxDocuments) return
        this.#documents.set(uri, TextDocument.create(uri, 'cadence', version, text))
        this.#checkSoon(uri, 0)
      },
    )
    connection.onNotification(
      'textDocument/didChange',
      ({ textDocument: { uri, version }, contentChanges }: DidChangeTextDocumentParams) => {
        const document = this.#documents.get(uri)
        if (document !== undefined) TextDocument.update(document, contentChanges, version)
        this.#checkSoon(uri, this.#options.pauseMs)
      },
    )
    connection.onNotification('textDocument/didClose', ({ textDocument: { uri } }: DidCloseTextDocumentParams) =>
      this.#close(uri),
    )
    connection.onRequest('textDocument/completion', async (params: TextDocumentPositionParams) => ({
      isIncomplete: false,
      items: (await this.#ask('completion', params)) ?? [],
    }))
    const atPosition = (method: string, kind: 'hover' | 'definition' | 'highlights', none: unknown) =>
      connection.onRequest(
        `textDocument/${method}`,
        async (params: TextDocumentPositionParams) => (await this.#ask(kind, params)) ?? none,
      )
    atPosition('hover', 'hover', null)
    atPosition('definition', 'definition', null)
    atPosition('documentHighlight', 'highlights', [])
    const ofDocument = (method: string, kind: 'symbols' | 'folds') =>
      connection.onRequest(
        `textDocument/${method}`,
        async ({ textDocument: { uri } }: DidCloseTextDocumentParams) => (await this.#askOrLast(kind, uri)) ?? [],
      )
    ofDocument('documentSymbol', 'symbols')
    ofDocument('foldingRange', 'folds')
    connection.onRequest('textDocument/rename', async (params: RenameParams) => this.#rename(params))
    connection.listen()
  }

  #close(uri: string): void {
    clearTimeout(this.#checks.get(uri))
    this.#checks.delete(uri)
    this.#lastGood.delete(uri)
    if (this.#documents.delete(uri)) this.#publish(uri, undefined, [])
  }

  #checkSoon(uri: string, pauseMs: number): void {
    if (!this.#documents.has(uri)) return
    clearTimeout(this.#checks.get(uri))
    this.#checks.set(
      uri,
      setTimeout(() => {
        this.#checks.delete(uri)
        void this.#check(uri)
      }, pauseMs),
    )
  }

  async #check(uri: string): Promise<void> {
    const document = this.#documents.get(uri)
    if (document === undefined || this.#isChecking.has(uri)) return
    const { version } = document
    const text = document.getText()
    this.#isChecking.add(uri)
    try {
      const found = await this.#diagnose(uri, text)
      if (this.#documents.get(uri) === document && document.getText() === text) this.#publish(uri, version, found)
    } finally {
      this.#isChecking.delete(uri)
    }
    if (this.#documents.get(uri)?.getText() !== text && !this.#checks.has(uri)) this.#checkSoon(uri, 0)
  }

  async #diagnose(uri: string, code: string): Promise<readonly Diagnostic[]> {
    if (code.length > maxSourceLength) return [notRead(`it has ${code.length} characters (limit ${maxSourceLength})`)]
    try {
      return await this.#options.readers.ask({ kind: 'check', uri, code, imports: [], offset: 0 })
    } catch (error) {
      return [notRead(asError(error).message)]
    }
  }

  async #ask<Kind extends 'completion' | 'hover' | 'definition' | 'highlights'>(
    kind: Kind,
    { textDocument: { uri }, position }: TextDocumentPositionParams,
  ): Promise<SourceAnswers[Kind] | undefined> {
    const document = this.#documents.get(uri)
    if (document === undefined || document.getText().length > maxSourceLength) return undefined
    const code = document.getText()
    const offset = document.offsetAt(position)
    const imports = await this.#imported.importedBy(uri, code)
    return this.#answer({ kind, uri, code, offset, imports }) as Promise<SourceAnswers[Kind] | undefined>
  }

  /** For an invalid source, the last valid answer is better than none. */
  async #askOrLast<Kind extends 'symbols' | 'folds'>(kind: Kind, uri: string): Promise<SourceAnswers[Kind]> {
    const document = this.#documents.get(uri)
    if (document === undefined || document.getText().length > maxSourceLength) return undefined
    const answer = (await this.#answer({
      kind,
      uri,
      code: document.getText(),
      offset: 0,
      imports: [],
    })) as SourceAnswers[Kind]
    if (this.#documents.get(uri) !== document) return answer
    const last = this.#lastGood.get(uri) ?? new Map<string, unknown>()
    if (answer === undefined) return last.get(kind) as SourceAnswers[Kind]
    this.#lastGood.set(uri, last.set(kind, answer))
    return answer
  }

  async #rename({ textDocument: { uri }, position, newName }: RenameParams): Promise<unknown> {
    if (!/^[A-Za-z_]\w*$/.test(newName))
      throw new ResponseError(
        ErrorCodes.InvalidParams,
        `newName: "${newName.slice(0, 100)}" is not a Cadence identifier; use letters, digits and _`,
      )
    const document = this.#documents.get(uri)
    if (document === undefined || document.getText().length > maxSourceLength) return null
    const edits = await this.#answer({
      kind: 'rename',
      uri,
      code: document.getText(),
      offset: document.offsetAt(position),
      imports: [],
      newName,
    })
    return edits === undefined ? null : { changes: { [uri]: edits } }
  }

  /** @throws ResponseError for an unreadable source */
  async #answer(question: SourceQuestion): Promise<SourceAnswers[keyof SourceAnswers]> {
    try {
      return await this.#options.readers.ask(question)
    } catch (error) {
      if (error instanceof UnreadableSource) return undefined
      throw new ResponseError(ErrorCodes.InternalError, asError(error).message)
    }
  }

  #publish(uri: string, version: number | undefined, diagnostics: readonly Diagnostic[]): void {
    const params = { uri, diagnostics, ...(version === undefined ? {} : { version }) }
    // The client has left.
    this.#options.connection.sendNotification('textDocument/publishDiagnostics', params).catch(() => undefined)
  }
}

function notRead(reason: string): Diagnostic {
  const start = { line: 0, character: 0 }
  return {
    range: { start, end: start },
    severity: DiagnosticSeverity.Warning,
    source: diagnosticSource,
    message: `Source not checked: ${reason}.`,
  }
}
