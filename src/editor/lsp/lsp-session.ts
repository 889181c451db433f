import type { EditorNetwork } from '../editor-network.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { ImportWorkspace, TextRange } from '../imports/import-workspace.ts'
import type { CrashBudget } from '../language-server/crash-budget.ts'
import { isAllowedCommand, methodLabel, routeOf } from '../language-server/lsp-methods.ts'
import type { ClientShares } from './client-shares.ts'
import { BadChange } from './document-text.ts'
import { FolderHider, toClient, toServer, ForeignUri, UriSpace } from './uri-space.ts'
import { JobQueue } from './job-queue.ts'
import { errorText, isObject, notificationText, resultText, rpcCodes, RpcFailure } from '../language-server/json-rpc.ts'
import type { RpcErrorBody, RpcId } from '../language-server/json-rpc.ts'
import type { LanguageServer, Member, ServerState } from '../language-server/language-server.ts'
import type { Clock, LspLimits, LspMetrics } from '../language-server/lsp-limits.ts'
import type { OpenDocument } from './session-documents.ts'
import { ServerLost } from '../language-server/server-run.ts'
import type { Asked, ServerRun } from '../language-server/server-run.ts'
import { inWords, SessionDocuments, untilWritable } from './session-documents.ts'

interface LspSessionOptions {
  readonly network: EditorNetwork
  readonly server: LanguageServer
  readonly openWorkspace: () => Promise<ImportWorkspace>
  /**
   * The end of the sessions before this one. A connection has one folder at a time, however often it changes its
   * network.
   */
  readonly previous: Promise<unknown>
  /** Counts units of work. */
  readonly spend: (units: number) => void
  readonly limits: LspLimits
  readonly metrics: LspMetrics
  readonly log: Logger
  readonly crashes: CrashBudget
  readonly shares: ClientShares
  readonly clock: Clock
  /** The client's address or network. */
  readonly client: string
  /** Sends the client a message. */
  readonly send: (text: string) => void
  /** Told how many bytes of messages wait for their turn. */
  readonly onWaiting: (bytes: number) => void
  /** The language server was not to be had; the session has closed itself. */
  readonly onFailed: (code: string, message: string) => void
}

/** A request of the client that has not been answered. */
interface ClientRequest {
  readonly id: RpcId
  readonly method: string
  readonly since: number
  readonly timer: NodeJS.Timeout
  asked: Asked | undefined
}

type Outcome = 'answered' | 'failed' | 'cancelled' | 'timeout' | 'lost'

/**
 * Documents, requests and names of one connection. Messages are handled in order, after the server has started.
 *
 *     starting ──workspace and server are there──► ready ──close()──► closed
 *        └──not within the time──► failed, closed
 */
export class LspSession implements Member {
  readonly network: EditorNetwork
  readonly #options: LspSessionOptions
  readonly #queue: JobQueue
  readonly #requests = new Map<RpcId, ClientRequest>()
  /** Cancelled requests that the language server has not answered yet. */
  #cancelled = 0
  readonly #ending = new AbortController()
  #workspace: ImportWorkspace | undefined
  #space: UriSpace | undefined
  #hider: FolderHider | undefined
  #documents: SessionDocuments | undefined
  #isReady = false
  /** The client's last message if it is a waiting change: a following change of the same document replaces it. */
  #lastChange: { readonly uri: unknown; isFollowed: boolean } | undefined
  #closed: Promise<void> | undefined

  constructor(options: LspSessionOptions) {
    this.network = options.network
    this.#options = options
    this.#queue = new JobQueue({
      onFailure: (error) => {
        if (!this.#ending.signal.aborted)
          options.log.error({ err: error }, 'a message of the language server channel could not be worked on')
      },
      onChange: options.onWaiting,
    })
  }

  /** Begins, before anything else is asked of it. */
  start(): void {
    this.#queue.add(0, () => this.#start())
  }

  get folder(): string {
    return this.#workspace?.folder ?? ''
  }

  /** The client asked for the same network again. */
  initAgain(): void {
    this.#queue.add(0, () => this.#tellReady())
  }

  /** A request of the client. @param bytes of its message; @param refusal why it is not to be obeyed */
  request(id: RpcId, method: string, params: unknown, bytes: number, refusal?: string): void {
    const { limits } = this.#options
    this.#lastChange = undefined
    if (this.#requests.has(id))
      return this.#send(
        errorText(id, {
          code: rpcCodes.invalidRequest,
          message: 'A request of this id is under way; give each its own.',
        }),
      )
    if (this.#requests.size + this.#cancelled >= limits.requestsPerConnection) {
      return this.#send(
        errorText(id, {
          code: rpcCodes.requestFailed,
          message: `A connection has at most ${limits.requestsPerConnection} requests under way; wait for answers.`,
        }),
      )
    }
    const timer = setTimeout(() => {
      this.#fail(
        request,
        {
          code: rpcCodes.requestFailed,
          message: `The language server did not answer within ${limits.requestMs / 1000} s.`,
        },
        'timeout',
      )
    }, limits.requestMs)
    const request: ClientRequest = { id, method, since: performance.now(), timer, asked: undefined }
    this.#requests.set(id, request)
    this.#queue.add(bytes, async () => {
      try {
        if (refusal !== undefined) throw new RpcFailure(rpcCodes.requestFailed, refusal)
        if (this.#requests.get(id) === request) await this.#work(request, params)
      } catch (error) {
        this.#failBy(request, error)
      }
    })
  }

  /** A notification of the client. @param refusal why it is not to be obeyed */
  notification(method: string, params: unknown, bytes: number, refusal?: string): void {
    if (method === '$/cancelRequest') return this.#cancel(params)
    const change =
      method === 'textDocument/didChange' && refusal === undefined
        ? { uri: uriOf(params), isFollowed: false }
        : undefined
    const last = this.#lastChange
    if (change !== undefined && last !== undefined && last.uri === change.uri) last.isFollowed = true
    this.#lastChange = change
    this.#queue.add(bytes, async () => {
      const documents = this.#documents
      if (documents === undefined) return
      try {
        if (refusal !== undefined) await documents.lose(params, refusal)
        else if (method === 'textDocument/didOpen') await documents.open(params)
        else if (method === 'textDocument/didChange') await documents.change(params, () => change?.isFollowed === true)
        else if (method === 'textDocument/didClose') await documents.close(params)
      } catch (error) {
        if (error instanceof ForeignUri || error instanceof BadChange)
          this.#tell('window/showMessage', { type: 2, message: `${method}: ${error.message}.` })
        else if (!this.#ending.signal.aborted) documents.failed(error)
      }
    })
  }

  take(method: string, params: Record<string, unknown>, uri: string): void {
    const space = this.#space
    if (space === undefined) return
    if (method === 'textDocument/publishDiagnostics') this.#documents?.publish(params, uri)
    else {
      const mapped = toClient(params, space)
      if (isObject(mapped)) this.#tell(method, mapped)
    }
  }

  wake(): void {
    this.#queue.add(0, async () => {
      await this.#documents?.ready()
    })
  }

  told(state: ServerState): void {
    if (this.#isReady) this.#tell('flow/serverStatus', { state })
  }

  /** Ends it: nothing is sent any more, the documents are closed, the folder is taken away. Never rejects. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #start(): Promise<void> {
    const { server, openWorkspace, previous, limits, log, network, onFailed } = this.#options
    const { signal } = this.#ending
    try {
      await previous
      if (signal.aborted) return
      const workspace = await openWorkspace()
      this.#workspace = workspace
      if (signal.aborted) return
      const space = new UriSpace(workspace.folder, workspace.describe?.bind(workspace))
      this.#space = space
      this.#hider = new FolderHider(workspace.folder)
      const documents = new SessionDocuments({
        ...this.#options,
        workspace,
        space,
        signal,
        tell: (method, params) => this.#tell(method, params),
        enqueue: (run) => this.#queue.add(0, run),
      })
      server.join(this)
      await server.ready(AbortSignal.any([signal, AbortSignal.timeout(limits.initMs)]))
      this.#documents = documents
      this.#tellReady()
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: asError(error), trouble: server.trouble }, 'a connection got no language server')
      onFailed(
        'server-unavailable',
        `The language server of ${network} could not be started; send init again in a moment.`,
      )
      void this.close()
    }
  }

  #tellReady(): void {
    const { server, network } = this.#options
    this.#isReady = true
    const { kind, label } = server.program
    this.#send(JSON.stringify({ type: 'ready', network, server: { kind, label }, capabilities: server.capabilities }))
  }

  async #work(request: ClientRequest, params: unknown): Promise<void> {
    const { server } = this.#options
    const { method } = request
    if (method === 'initialize') {
      return this.#finish(
        request,
        resultText(request.id, { capabilities: server.capabilities, serverInfo: { name: server.program.label } }),
        'answered',
      )
    }
    // The server is for others too: it is the connection that has been shut down, and goes on until it ends.
    if (method === 'shutdown') return this.#finish(request, resultText(request.id, null), 'answered')
    const [space, documents] = [this.#space, this.#documents]
    const route = routeOf(method)
    if (route === 'unknown')
      throw new RpcFailure(rpcCodes.methodNotFound, `There is no ${method.slice(0, 100)} in this channel.`)
    if (space === undefined || documents === undefined)
      throw new RpcFailure(rpcCodes.serverNotInitialized, 'The language server is not there.')
    if (method === 'workspace/executeCommand' && !isAllowedCommand(params))
      throw new RpcFailure(rpcCodes.invalidParams, 'command: there is no such command in this channel.')
    const document = documentOf(params, route === 'document', space, documents)
    const mapped = withoutTokens(toServer(params, space))
    await this.#ask(request, mapped, documents, document)
  }

  async #ask(
    request: ClientRequest,
    params: unknown,
    documents: SessionDocuments,
    document: OpenDocument | undefined,
  ): Promise<void> {
    const asked = document?.asked ?? documents.asked
    for (;;) {
      const run = await documents.ready()
      if (this.#requests.get(request.id) !== request) return // answered, or given up
      if (document?.refusal !== undefined)
        throw new RpcFailure(rpcCodes.requestFailed, `The document is not checked: ${document.refusal}.`)
      const until = asked.setAsideUntil ?? document?.quarantine.setAsideUntil
      if (until !== undefined) {
        const wait = inWords(until - this.#options.clock.now())
        throw new RpcFailure(
          rpcCodes.requestFailed,
          'The language server ended on what was asked, or on others of your address, several times; ask again in ' +
            `${wait}.`,
        )
      }
      if (asked.isSuspect) {
        // If the server ended after the request, the client has its answer; else the next run is asked.
        await run.alone(asked, () => this.#answer(request, run, params, document)).catch(unlessLost)
        continue
      }
      await untilWritable(run)
      if (!run.isAlive) continue
      void this.#answer(request, run, params, document)
      return
    }
  }

  /** Asks the server and answers the client. Never rejects. */
  async #answer(
    request: ClientRequest,
    run: ServerRun,
    params: unknown,
    document: OpenDocument | undefined,
  ): Promise<void> {
    if (this.#requests.get(request.id) !== request) return
    const asked = run.ask(request.method, params, { document: document?.asked ?? this.#documents?.asked })
    request.asked = asked
    try {
      const result = await asked.answer
      const space = this.#space
      if (space === undefined) return
      const place =
        document !== undefined && request.method === 'textDocument/definition'
          ? await this.#locate(document.path, params, result, space)
          : undefined
      this.#finish(request, resultText(request.id, place ?? toClient(result, space)), 'answered')
    } catch (error) {
      this.#failBy(request, error)
    }
  }

  /** The declaration of a name, by the workspace: the CLI names the wrong file for imports. Undefined if unknown. */
  async #locate(path: string, params: unknown, result: unknown, space: UriSpace): Promise<unknown> {
    const workspace = this.#workspace
    const at = isObject(params) ? rangeOf({ start: params['position'], end: params['position'] })?.start : undefined
    if (this.#options.server.program.kind !== 'cli' || workspace?.locate === undefined || at === undefined)
      return undefined
    try {
      const place = await workspace.locate(path, at, isObject(result) ? rangeOf(result['range']) : undefined)
      if (place === undefined) return undefined
      return {
        uri: 'contract' in place ? space.contractUri(place.contract) : space.clientUri(place.document),
        range: place.range,
      }
    } catch (error) {
      // The server's own answer is still there.
      this.#options.log.warn({ err: asError(error) }, 'a declaration could not be looked for')
      return undefined
    }
  }

  #failBy(request: ClientRequest, error: unknown): void {
    if (this.#ending.signal.aborted) return
    if (error instanceof ServerLost) return this.#fail(request, error, 'lost')
    if (error instanceof RpcFailure) {
      const data = error.data === undefined || this.#space === undefined ? undefined : toClient(error.data, this.#space)
      return this.#fail(request, { code: error.code, message: error.message, data }, 'failed')
    }
    if (error instanceof ForeignUri)
      return this.#fail(request, { code: rpcCodes.invalidParams, message: error.message }, 'failed')
    this.#options.log.error(
      { err: asError(error), method: methodLabel(request.method) },
      'a request of the language server channel failed',
    )
    this.#fail(
      request,
      { code: rpcCodes.internalError, message: 'The request failed by a fault of the server.' },
      'failed',
    )
  }

  #cancel(params: unknown): void {
    const id = isObject(params) ? params['id'] : undefined
    const request = typeof id === 'number' || typeof id === 'string' ? this.#requests.get(id) : undefined
    if (request !== undefined)
      this.#fail(request, { code: rpcCodes.requestCancelled, message: 'The request was cancelled.' }, 'cancelled')
  }

  #fail(request: ClientRequest, error: RpcErrorBody, outcome: Outcome): void {
    this.#finish(request, errorText(request.id, error), outcome)
  }

  /** Answers once; a server that is still at it is told to leave it. */
  #finish(request: ClientRequest, text: string, outcome: Outcome): void {
    if (this.#requests.get(request.id) !== request) return
    this.#requests.delete(request.id)
    clearTimeout(request.timer)
    if (outcome === 'cancelled' || outcome === 'timeout') this.#giveUp(request)
    const { metrics, network } = this.#options
    metrics.requestSeconds.observe(
      { network, method: methodLabel(request.method), outcome },
      (performance.now() - request.since) / 1000,
    )
    this.#send(text)
  }

  /** The language server may be working on it still, which counts as a request under way. */
  #giveUp({ asked }: ClientRequest): void {
    if (asked === undefined) return
    this.#cancelled++
    void asked.settled.then(() => {
      this.#cancelled--
    })
    asked.cancel()
  }

  #tell(method: string, params: Record<string, unknown>): void {
    this.#send(notificationText(method, params))
  }

  #send(text: string): void {
    if (this.#ending.signal.aborted) return
    const hider = this.#hider
    this.#options.send(hider?.isNamedIn(text) === true ? JSON.stringify(hider.hide(JSON.parse(text))) : text)
  }

  async #close(): Promise<void> {
    const { server, log } = this.#options
    // Those that wait are answered while something can still be sent.
    for (const request of this.#requests.values()) {
      this.#fail(
        request,
        { code: rpcCodes.requestCancelled, message: 'The session with the language server has ended.' },
        'cancelled',
      )
    }
    this.#ending.abort(new Error('the session has ended'))
    await this.#queue.close()
    try {
      this.#documents?.leave()
      if (this.#workspace === undefined) return
      server.leave(this)
      await this.#workspace.close()
    } catch (error) {
      log.error({ err: asError(error) }, 'the folder of a connection could not be taken away')
    }
  }
}

function uriOf(params: unknown): unknown {
  const item = isObject(params) ? params['textDocument'] : undefined
  return isObject(item) ? item['uri'] : undefined
}

function unlessLost(error: unknown): void {
  if (!(error instanceof ServerLost)) throw error
}

/** The open document that a request is about. @throws RpcFailure, ForeignUri where it has to name one */
function documentOf(
  params: unknown,
  isNeeded: boolean,
  space: UriSpace,
  documents: SessionDocuments,
): OpenDocument | undefined {
  const item = isObject(params) ? params['textDocument'] : undefined
  if (!isObject(item)) {
    if (isNeeded) throw new RpcFailure(rpcCodes.invalidParams, 'textDocument: give the uri of the document.')
    return undefined
  }
  return documents.get(space.pathOf(item['uri']))
}

/** A range of LSP; undefined where it is none. */
function rangeOf(value: unknown): TextRange | undefined {
  if (!isObject(value)) return undefined
  const [start, end] = [value['start'], value['end']].map((position) => {
    const { line, character } = isObject(position) ? position : {}
    return Number.isInteger(line) && Number.isInteger(character)
      ? { line: Number(line), character: Number(character) }
      : undefined
  })
  return start === undefined || end === undefined ? undefined : { start, end }
}

/** Tokens of progress are the client's own; those of two would not be told apart. */
function withoutTokens(params: unknown): unknown {
  if (!isObject(params)) return params
  const { workDoneToken: _done, partialResultToken: _partial, ...rest } = params
  return rest
}
