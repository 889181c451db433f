import type { EditorNetwork } from '../editor-network.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { ImportWorkspace, TextRange } from '../imports/import-workspace.ts'
import type { CrashBudget } from '../language-server/crash-budget.ts'
import { isAllowedCommand, methodLabel, routeOf } from '../language-server/lsp-methods.ts'
import type { ClientShares } from './client-shares.ts'
import { BadChange } from './document-text.ts'
import { FolderRedactor, toClient, toServer, ForeignUri, UriSpace } from './uri-space.ts'
import { JobQueue } from './job-queue.ts'
import { errorText, isObject, notificationText, resultText, rpcCodes, RpcFailure } from '../language-server/json-rpc.ts'
import type { RpcErrorBody, RpcId } from '../language-server/json-rpc.ts'
import type { LanguageServer, Member, ServerState } from '../language-server/language-server.ts'
import type { Clock, LspLimits, LspMetrics } from '../language-server/lsp-limits.ts'
import type { OpenDocument } from './session-documents.ts'
import { ServerLost } from '../language-server/server-run.ts'
import type { PendingRequest, ServerRun } from '../language-server/server-run.ts'
import { formatDuration, SessionDocuments, untilWritable } from './session-documents.ts'

interface LspSessionOptions {
  readonly network: EditorNetwork
  readonly server: LanguageServer
  readonly openWorkspace: () => Promise<ImportWorkspace>
  /** A connection has one folder at a time. */
  readonly previous: Promise<unknown>
  readonly spend: (units: number) => void
  readonly limits: LspLimits
  readonly metrics: LspMetrics
  readonly log: Logger
  readonly crashes: CrashBudget
  readonly shares: ClientShares
  readonly clock: Clock
  readonly client: string
  readonly send: (text: string) => void
  readonly onWaiting: (bytes: number) => void
  /** The session has closed itself. */
  readonly onFailed: (code: string, message: string) => void
}

interface ClientRequest {
  readonly id: RpcId
  readonly method: string
  readonly since: number
  readonly timer: NodeJS.Timeout
  requested: PendingRequest | undefined
}

type Outcome = 'answered' | 'failed' | 'cancelled' | 'timeout' | 'lost'

/**
 * Messages are handled in order, after the server has started.
 *
 *     starting ──workspace and server ready──► ready ──close()──► closed
 *        └──timeout──► failed, closed
 */
export class LspSession implements Member {
  readonly network: EditorNetwork
  readonly #options: LspSessionOptions
  readonly #queue: JobQueue
  readonly #requests = new Map<RpcId, ClientRequest>()
  #cancelled = 0
  readonly #ending = new AbortController()
  #workspace: ImportWorkspace | undefined
  #space: UriSpace | undefined
  #hider: FolderRedactor | undefined
  #documents: SessionDocuments | undefined
  #isReady = false
  /** A queued change is replaced by the next change of the same document. */
  #lastChange: { readonly uri: unknown; isFollowed: boolean } | undefined
  #closed: Promise<void> | undefined

  constructor(options: LspSessionOptions) {
    this.network = options.network
    this.#options = options
    this.#queue = new JobQueue({
      onFailure: (error) => {
        if (!this.#ending.signal.aborted) options.log.error({ err: error }, 'Could not handle an LSP message')
      },
      onChange: options.onWaiting,
    })
  }

  /** Call first. */
  start(): void {
    this.#queue.add(0, () => this.#start())
  }

  get folder(): string {
    return this.#workspace?.folder ?? ''
  }

  initAgain(): void {
    this.#queue.add(0, () => this.#sendReady())
  }

  request(id: RpcId, method: string, params: unknown, bytes: number, refusal?: string): void {
    const { limits } = this.#options
    this.#lastChange = undefined
    if (this.#requests.has(id))
      return this.#send(
        errorText(id, {
          code: rpcCodes.invalidRequest,
          message: 'A request with this id is pending. Use a unique id for each request.',
        }),
      )
    if (this.#requests.size + this.#cancelled >= limits.requestsPerConnection) {
      return this.#send(
        errorText(id, {
          code: rpcCodes.requestFailed,
          message: `Too many pending requests (limit ${limits.requestsPerConnection}). Wait for responses.`,
        }),
      )
    }
    const timer = setTimeout(() => {
      this.#fail(
        request,
        {
          code: rpcCodes.requestFailed,
          message: `The language server did not respond within ${limits.requestMs / 1000} s.`,
        },
        'timeout',
      )
    }, limits.requestMs)
    const request: ClientRequest = { id, method, since: performance.now(), timer, requested: undefined }
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
          this.#notify('window/showMessage', { type: 2, message: `${method}: ${error.message}.` })
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
      if (isObject(mapped)) this.#notify(method, mapped)
    }
  }

  wake(): void {
    this.#queue.add(0, async () => {
      await this.#documents?.ready()
    })
  }

  onStateChange(state: ServerState): void {
    if (this.#isReady) this.#notify('flow/serverStatus', { state })
  }

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
      this.#hider = new FolderRedactor(workspace.folder)
      const documents = new SessionDocuments({
        ...this.#options,
        workspace,
        space,
        signal,
        notify: (method, params) => this.#notify(method, params),
        enqueue: (run) => this.#queue.add(0, run),
      })
      server.join(this)
      await server.ready(AbortSignal.any([signal, AbortSignal.timeout(limits.initMs)]))
      this.#documents = documents
      this.#sendReady()
    } catch (error) {
      if (signal.aborted) return
      log.warn({ err: asError(error), trouble: server.trouble }, 'No language server for a connection')
      onFailed('server-unavailable', `Could not start the language server of ${network}. Send init again in a moment.`)
      void this.close()
    }
  }

  #sendReady(): void {
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
    // The server is shared: only the connection shuts down.
    if (method === 'shutdown') return this.#finish(request, resultText(request.id, null), 'answered')
    const [space, documents] = [this.#space, this.#documents]
    const route = routeOf(method)
    if (route === 'unknown') throw new RpcFailure(rpcCodes.methodNotFound, `Unknown method ${method.slice(0, 100)}.`)
    if (space === undefined || documents === undefined)
      throw new RpcFailure(rpcCodes.serverNotInitialized, 'The language server is not running.')
    if (method === 'workspace/executeCommand' && !isAllowedCommand(params))
      throw new RpcFailure(rpcCodes.invalidParams, 'command: unknown or not allowed.')
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
    const requested = document?.requests ?? documents.requests
    for (;;) {
      const run = await documents.ready()
      if (this.#requests.get(request.id) !== request) return
      if (document?.refusal !== undefined)
        throw new RpcFailure(rpcCodes.requestFailed, `Document not checked: ${document.refusal}.`)
      const until = requested.setAsideUntil ?? document?.quarantine.setAsideUntil
      if (until !== undefined) {
        const wait = formatDuration(until - this.#options.clock.now())
        throw new RpcFailure(
          rpcCodes.requestFailed,
          'The language server crashed several times on this request or others of your address. Try again in ' +
            `${wait}.`,
        )
      }
      if (requested.isSuspect) {
        // If the server ended after the request, the client has its response; else the next run
        // gets it.
        await run.alone(requested, () => this.#answer(request, run, params, document)).catch(unlessLost)
        continue
      }
      await untilWritable(run)
      if (!run.isAlive) continue
      void this.#answer(request, run, params, document)
      return
    }
  }

  async #answer(
    request: ClientRequest,
    run: ServerRun,
    params: unknown,
    document: OpenDocument | undefined,
  ): Promise<void> {
    if (this.#requests.get(request.id) !== request) return
    const requested = run.ask(request.method, params, { document: document?.requests ?? this.#documents?.requests })
    request.requested = requested
    try {
      const result = await requested.answer
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

  /** The CLI names the wrong file for imports. */
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
      // Falls back to the server's response.
      this.#options.log.warn({ err: asError(error) }, 'Could not resolve a declaration')
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
    this.#options.log.error({ err: asError(error), method: methodLabel(request.method) }, 'LSP request failed')
    this.#fail(
      request,
      { code: rpcCodes.internalError, message: 'The request failed because of an internal error.' },
      'failed',
    )
  }

  #cancel(params: unknown): void {
    const id = isObject(params) ? params['id'] : undefined
    const request = typeof id === 'number' || typeof id === 'string' ? this.#requests.get(id) : undefined
    if (request !== undefined)
      this.#fail(request, { code: rpcCodes.requestCancelled, message: 'Request cancelled.' }, 'cancelled')
  }

  #fail(request: ClientRequest, error: RpcErrorBody, outcome: Outcome): void {
    this.#finish(request, errorText(request.id, error), outcome)
  }

  /** Answers once; cancels at the server. */
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

  /** The server may still work on it. */
  #giveUp({ requested }: ClientRequest): void {
    if (requested === undefined) return
    this.#cancelled++
    void requested.settled.then(() => {
      this.#cancelled--
    })
    requested.cancel()
  }

  #notify(method: string, params: Record<string, unknown>): void {
    this.#send(notificationText(method, params))
  }

  #send(text: string): void {
    if (this.#ending.signal.aborted) return
    const hider = this.#hider
    this.#options.send(hider?.isNamedIn(text) === true ? JSON.stringify(hider.hide(JSON.parse(text))) : text)
  }

  async #close(): Promise<void> {
    const { server, log } = this.#options
    for (const request of this.#requests.values()) {
      this.#fail(request, { code: rpcCodes.requestCancelled, message: 'The session has ended.' }, 'cancelled')
    }
    this.#ending.abort(new Error('The session has ended'))
    await this.#queue.close()
    try {
      this.#documents?.leave()
      if (this.#workspace === undefined) return
      server.leave(this)
      await this.#workspace.close()
    } catch (error) {
      log.error({ err: asError(error) }, 'Could not delete the folder of a connection')
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

/** @throws RpcFailure, ForeignUri */
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

/** Undefined if invalid. */
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

/** Progress tokens of clients could collide. */
function withoutTokens(params: unknown): unknown {
  if (!isObject(params)) return params
  const { workDoneToken: _done, partialResultToken: _partial, ...rest } = params
  return rest
}
