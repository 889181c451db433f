import type { EditorNetwork } from '../editor-network.ts'
import type { ImportWorkspace, PreparedText } from '../imports/import-workspace.ts'
import { Quarantine } from '../language-server/crash-budget.ts'
import type { CrashBudget } from '../language-server/crash-budget.ts'
import { isObject } from '../language-server/json-rpc.ts'
import type { LanguageServer } from '../language-server/language-server.ts'
import type { Clock, LspLimits, LspMetrics } from '../language-server/lsp-limits.ts'
import { ServerLost } from '../language-server/server-run.ts'
import type { ServerRun } from '../language-server/server-run.ts'
import { unitsOfBytes } from './client-shares.ts'
import type { ClientShares } from './client-shares.ts'
import { ContractFetches } from './contract-fetches.ts'
import { applyChanges, BadChange } from './document-text.ts'
import { toClient } from './uri-space.ts'
import type { UriSpace } from './uri-space.ts'
import { ApiError, asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'

/** Versions that are remembered to name those of the client in diagnostics. */
const rememberedVersions = 64

/**
 * An open document: the client's text, to be sent again at any time, and what the server was given. Versions for the
 * server are our own, since documents are sent again without a change.
 */
export class OpenDocument {
  readonly path: string
  readonly languageId: string
  /** Whether the text may be sent. */
  readonly quarantine: Quarantine
  /** Whether requests about it may be sent. */
  readonly asked: Quarantine
  text: string
  /** Of `text`, in UTF-8. */
  bytes = 0
  /** Why it is not sent: too large, or a change failed. It needs its whole text to be sent again. */
  refusal: string | undefined
  /** Until when the document is set aside, as the client was told it last; undefined where it is not. */
  toldAsideUntil: number | undefined
  /** Something is to be done to send it again. */
  isRefreshing = false
  /** What the server is given in place of `text`. */
  #prepared = ''
  #clientVersion: number | undefined
  #serverVersion = 0
  /** Whether what was prepared last was given to a run. */
  #isGiven = false
  #givenTo: ServerRun | undefined
  readonly #clientVersions = new Map<number, number | undefined>()

  constructor(path: string, languageId: string, version: unknown, crashes: CrashBudget, client: string) {
    this.path = path
    this.languageId = languageId
    this.text = ''
    this.version = version
    this.quarantine = new Quarantine(crashes, client)
    this.asked = new Quarantine(crashes, client, true)
  }

  /** The client's version, where it gave one. */
  set version(version: unknown) {
    this.#clientVersion = typeof version === 'number' && Number.isInteger(version) ? version : undefined
  }

  /** Takes over what the server is to be given from now on, be it the same text as before. */
  set prepared(text: string) {
    this.#prepared = text
    this.#isGiven = false
  }

  /** Whether a run has it as it was prepared last. */
  isGivenTo(run: ServerRun): boolean {
    return this.#givenTo === run && this.#isGiven
  }

  /** Sends the prepared text as it is now. @param uri of the server */
  giveTo(run: ServerRun, uri: string): void {
    this.#serverVersion++
    const version = this.#serverVersion
    this.#clientVersions.set(version, this.#clientVersion)
    this.#clientVersions.delete(version - rememberedVersions)
    if (this.#givenTo === run)
      run.give(
        'textDocument/didChange',
        { textDocument: { uri, version }, contentChanges: [{ text: this.#prepared }] },
        this.quarantine,
      )
    else
      run.give(
        'textDocument/didOpen',
        { textDocument: { uri, languageId: this.languageId, version, text: this.#prepared } },
        this.quarantine,
      )
    this.#givenTo = run
    this.#isGiven = true
  }

  /** Closes it. @param isForgetful the server ignores closing, so it gets an empty text @param uri of the server */
  takeFrom(run: ServerRun, uri: string, isForgetful: boolean): void {
    if (this.#givenTo !== run) return
    this.#givenTo = undefined
    run.forget(this.quarantine)
    if (isForgetful)
      run.notify('textDocument/didChange', {
        textDocument: { uri, version: this.#serverVersion + 1 },
        contentChanges: [{ text: '' }],
      })
    run.notify('textDocument/didClose', { textDocument: { uri } })
  }

  /** The client's version of which a server's version was made; undefined where it gave none or that is long ago. */
  clientVersionOf(serverVersion: unknown): number | undefined {
    return typeof serverVersion === 'number' ? this.#clientVersions.get(serverVersion) : undefined
  }
}

interface SessionDocumentsOptions {
  readonly network: EditorNetwork
  readonly server: LanguageServer
  readonly workspace: ImportWorkspace
  readonly space: UriSpace
  readonly limits: LspLimits
  readonly metrics: LspMetrics
  readonly log: Logger
  readonly crashes: CrashBudget
  readonly shares: ClientShares
  readonly clock: Clock
  /** The client's address or network. */
  readonly client: string
  readonly signal: AbortSignal
  /** Counts units of work. */
  readonly spend: (units: number) => void
  /** Sends the client a notification. */
  readonly tell: (method: string, params: Record<string, unknown>) => void
  /** Has something done when it is its turn. */
  readonly enqueue: (run: () => Promise<void>) => void
}

/** Of `window/showMessage` and of diagnostics. */
const [errorLevel, warningLevel] = [1, 2]

/**
 * The open documents of one client. Changes are applied to a copy, and servers get whole texts, so the next run can be
 * given all documents in order. Methods are called one at a time.
 */
export class SessionDocuments {
  readonly #options: SessionDocumentsOptions
  /** Requests that are about no document. */
  readonly asked: Quarantine
  readonly #open = new Map<string, OpenDocument>()
  readonly #fetches: ContractFetches
  #bytes = 0
  /** Of the workspace, as it was when all documents were made ready by it. */
  #generation: number | undefined
  /** The run that has, or is being given, all that is open. */
  #run: ServerRun | undefined
  /** Wakes when the first of the documents that are set aside is to be tried again. */
  #waking: { readonly at: number; readonly stop: () => void } | undefined

  constructor(options: SessionDocumentsOptions) {
    const { workspace, limits, signal, log, tell, crashes, shares, client } = options
    this.#options = options
    this.asked = new Quarantine(crashes, client, true)
    this.#generation = workspace.generation
    this.#fetches = new ContractFetches({
      workspace,
      signal,
      log,
      max: limits.contractsPerConnection,
      mayFetch: () => shares.mayFetch(client),
      onResolved: ({ address, name, code }) =>
        tell('flow/dependencyResolved', { address: `0x${address}`, contractName: name, code }),
      onUnresolved: ({ address, name }, why) =>
        tell('flow/dependencyUnresolved', { address: `0x${address}`, contractName: name, message: why }),
      onNeeded: (paths) => this.#refresh([...paths, ...this.#outdated()]),
    })
  }

  get(path: string): OpenDocument | undefined {
    return this.#open.get(path)
  }

  /** The run that is there now or next, once it has all documents. Rejects when the session ends. */
  async ready(): Promise<ServerRun> {
    for (;;) {
      const run = await this.#options.server.ready(this.#options.signal)
      if (run === this.#run) return run
      this.#run = run
      await this.#giveAll(run)
      if (run.isAlive) return run
    }
  }

  /** `textDocument/didOpen`. @throws ForeignUri, BadChange */
  async open(params: unknown): Promise<void> {
    const { space, limits, metrics, network, crashes, client } = this.#options
    const item = isObject(params) && isObject(params['textDocument']) ? params['textDocument'] : {}
    const path = space.pathOf(item['uri'])
    const { text, version, languageId } = item
    if (typeof text !== 'string') throw new BadChange('textDocument: give its text')
    let document = this.#open.get(path)
    if (document === undefined) {
      if (this.#open.size >= limits.documentsPerConnection) {
        throw new BadChange(
          `a connection has at most ${limits.documentsPerConnection} documents open; close one to open ${path}`,
        )
      }
      document = new OpenDocument(
        path,
        typeof languageId === 'string' ? languageId.slice(0, 64) : 'cadence',
        version,
        crashes,
        client,
      )
      this.#open.set(path, document)
      metrics.documents.inc({ network })
    }
    space.spell(path, String(item['uri']))
    await this.#setText(document, text, version)
  }

  /**
   * `textDocument/didChange`.
   * @param isFollowed whether another change of the document waits: the server gets the result of both
   * @throws ForeignUri, BadChange
   */
  async change(params: unknown, isFollowed: () => boolean = () => false): Promise<void> {
    const item = isObject(params) && isObject(params['textDocument']) ? params['textDocument'] : {}
    const document = this.#open.get(this.#options.space.pathOf(item['uri']))
    if (document === undefined)
      throw new BadChange('a document was changed that is not open; open it with textDocument/didOpen first')
    const changes = isObject(params) ? params['contentChanges'] : undefined
    const usable = document.refusal === undefined ? changes : fromWholeText(changes)
    if (usable === undefined) return // the client was told that it is not followed any more
    let text: string
    // A change of one character copies the whole text.
    this.#options.spend(unitsOfBytes(document.bytes))
    try {
      text = await applyChanges(document.text, usable, {
        maxUnits: this.#options.limits.documentBytes,
        signal: this.#options.signal,
      })
    } catch (error) {
      if (!(error instanceof BadChange)) throw error
      await this.#refuse(
        document,
        `a change could not be applied (${error.message}); send the whole text or open it again`,
      )
      return
    }
    await this.#setText(document, text, item['version'], isFollowed)
  }

  /** `textDocument/didClose`. @throws ForeignUri */
  async close(params: unknown): Promise<void> {
    const { space, workspace, metrics, network } = this.#options
    const item = isObject(params) && isObject(params['textDocument']) ? params['textDocument'] : {}
    const path = space.pathOf(item['uri'])
    const document = this.#open.get(path)
    if (document === undefined) return
    await this.#take(document)
    this.#open.delete(path)
    this.#letGo(document)
    metrics.documents.dec({ network })
    this.#diagnose(document, [])
    space.forget(path)
    const importers = workspace.importersOf?.(path) ?? []
    await workspace.remove(path)
    this.#refresh([...importers, ...this.#outdated()])
  }

  /** Diagnostics of the server. @param uri of the server */
  publish(params: Record<string, unknown>, uri: string): void {
    const { space, tell } = this.#options
    const path = space.ownPath(uri)
    const document = path === undefined ? undefined : this.#open.get(path)
    if (document === undefined) return // closed meanwhile
    this.#run?.diagnosed(document.quarantine)
    if (document.refusal !== undefined || document.quarantine.setAsideUntil !== undefined) return
    const version = document.clientVersionOf(params['version'])
    tell('textDocument/publishDiagnostics', {
      uri: space.clientUri(document.path),
      ...(version === undefined ? {} : { version }),
      diagnostics: toClient(params['diagnostics'], space) ?? [],
    })
  }

  /** Everything is closed: for the end of the session. */
  leave(): void {
    const { metrics, network, space } = this.#options
    this.#waking?.stop()
    for (const document of this.#open.values()) {
      if (this.#run !== undefined) document.takeFrom(this.#run, space.serverUri(document.path), this.#isForgetful)
    }
    for (const document of this.#open.values()) this.#letGo(document)
    metrics.documents.dec({ network }, this.#open.size)
    this.#open.clear()
  }

  /** A message about a document could not be taken; it is not followed any more. @param params of the message */
  async lose(params: unknown, why: string): Promise<void> {
    const item = isObject(params) && isObject(params['textDocument']) ? params['textDocument'] : {}
    const document = this.#open.get(this.#options.space.pathOf(item['uri']))
    if (document !== undefined) await this.#refuse(document, why)
  }

  /** The checker of Cadence knows nothing of closed documents. */
  get #isForgetful(): boolean {
    return this.#options.server.program.kind === 'cli'
  }

  async #setText(
    document: OpenDocument,
    text: string,
    version: unknown,
    isFollowed = (): boolean => false,
  ): Promise<void> {
    const { documentBytes, connectionBytes } = this.#options.limits
    const bytes = Buffer.byteLength(text)
    const all = this.#bytes - document.bytes + bytes
    document.version = version
    if (bytes > documentBytes) return this.#refuse(document, `it has more than ${documentBytes} bytes; make it smaller`)
    if (all > connectionBytes)
      return this.#refuse(
        document,
        `all that is open has more than ${connectionBytes} bytes; close something, and open it again`,
      )
    const full = this.#options.shares.hold(this.#options.client, bytes - document.bytes)
    if (full !== undefined) return this.#refuse(document, `${full}; close something, and open it again`)
    this.#bytes = all
    document.text = text
    document.bytes = bytes
    document.refusal = undefined
    document.quarantine.changed()
    document.asked.changed()
    if (isFollowed()) return
    await this.#prepareAndGive(document)
    // A checker keeps what it has made of others that import this one.
    const others = [...(this.#options.workspace.importersOf?.(document.path) ?? []), ...this.#outdated()]
    this.#refresh(others.filter((path) => path !== document.path))
  }

  /** All documents, where what they import is elsewhere since this was asked last. */
  #outdated(): string[] {
    const { generation } = this.#options.workspace
    if (generation === this.#generation) return []
    this.#generation = generation
    return [...this.#open.keys()]
  }

  async #prepareAndGive(document: OpenDocument): Promise<void> {
    let prepared: PreparedText
    this.#options.spend(unitsOfBytes(document.bytes))
    try {
      prepared = await this.#options.workspace.prepare(document.path, document.text)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return this.#refuse(document, error.message)
    }
    const { text, missing } = prepared
    document.prepared = text
    if (missing.length > 0) this.#fetches.want(document.path, missing)
    const run = await this.ready()
    if (!document.isGivenTo(run)) await this.#giveOrLeave(run, document)
  }

  async #giveAll(run: ServerRun): Promise<void> {
    for (const document of this.#open.values()) {
      if (!run.isAlive) return
      if (!document.isGivenTo(run)) await this.#giveOrLeave(run, document)
    }
  }

  /** Gives a document; where the server ends meanwhile, the next run is given all. */
  async #giveOrLeave(run: ServerRun, document: OpenDocument): Promise<void> {
    const { space } = this.#options
    if (document.refusal !== undefined) return
    const until = document.quarantine.setAsideUntil
    if (until !== undefined) return this.#setAside(document, until)
    document.toldAsideUntil = undefined
    const give = (): void => document.giveTo(run, space.serverUri(document.path))
    try {
      if (document.quarantine.isSuspect) await run.alone(document.quarantine, give)
      else {
        await untilWritable(run)
        give()
      }
    } catch (error) {
      if (!(error instanceof ServerLost)) throw error
    }
  }

  #letGo(document: OpenDocument): void {
    this.#options.shares.hold(this.#options.client, -document.bytes)
    this.#bytes -= document.bytes
    document.bytes = 0
  }

  async #refuse(document: OpenDocument, why: string): Promise<void> {
    const wasRefused = document.refusal !== undefined
    document.refusal = why
    document.text = ''
    this.#letGo(document)
    await this.#take(document)
    this.#diagnose(document, [`This document is not checked: ${why}.`])
    if (!wasRefused)
      this.#options.tell('window/showMessage', {
        type: warningLevel,
        message: `${document.path} is not checked: ${why}.`,
      })
  }

  #setAside(document: OpenDocument, until: number): void {
    const { tell, space, metrics, network, log, clock } = this.#options
    this.#wakeAt(until)
    if (document.toldAsideUntil === until) return
    document.toldAsideUntil = until
    metrics.setAside.inc({ network })
    const pauseMs = Math.ceil(until - clock.now())
    log.warn({ bytes: document.bytes, pauseMs }, 'a document on which the language server ends was set aside')
    const at = new Date(until).toISOString()
    const why =
      'the language server ended on it, or on others of your address, several times. It is tried again in ' +
      `${inWords(pauseMs)}, at ${at}`
    this.#diagnose(document, [`This document is not checked: ${why}.`])
    tell('flow/documentSetAside', { uri: space.clientUri(document.path), message: why, until: at })
    tell('window/showMessage', { type: errorLevel, message: `${document.path} is not checked: ${why}.` })
  }

  /** Retries documents that were set aside when their pause is over, with one timer. */
  #wakeAt(at: number): void {
    const { clock, signal, enqueue } = this.#options
    if (signal.aborted || (this.#waking !== undefined && this.#waking.at <= at)) return
    this.#waking?.stop()
    const stop = clock.after(Math.max(0, at - clock.now()), () => {
      this.#waking = undefined
      const aside = this.#open.values().filter(({ toldAsideUntil }) => toldAsideUntil !== undefined)
      for (const document of aside) {
        enqueue(async () => {
          if (this.#open.get(document.path) !== document || document.toldAsideUntil === undefined) return
          await this.#prepareAndGive(document)
        })
      }
    })
    this.#waking = { at, stop }
  }

  async #take(document: OpenDocument): Promise<void> {
    const run = this.#run
    if (run === undefined || !run.isAlive) return
    await untilWritable(run)
    document.takeFrom(run, this.#options.space.serverUri(document.path), this.#isForgetful)
  }

  /** Diagnostics of ours in place of the server's. */
  #diagnose(document: OpenDocument, messages: readonly string[]): void {
    const start = { line: 0, character: 0 }
    this.#options.tell('textDocument/publishDiagnostics', {
      uri: this.#options.space.clientUri(document.path),
      diagnostics: messages.map((message) => ({
        range: { start, end: { line: 0, character: 1 } },
        severity: warningLevel,
        source: 'flowfarm',
        message,
      })),
    })
  }

  /** Has documents sent again whose imports are there now. */
  #refresh(paths: readonly string[]): void {
    for (const path of paths) {
      const document = this.#open.get(path)
      if (document === undefined || document.isRefreshing) continue
      document.isRefreshing = true
      this.#options.enqueue(async () => {
        document.isRefreshing = false
        if (this.#open.get(path) !== document || document.refusal !== undefined) return
        await this.#prepareAndGive(document)
      })
    }
  }

  /** What went wrong with a notification, for the log and the client. */
  failed(error: unknown): void {
    const { tell, log } = this.#options
    log.error({ err: asError(error) }, 'a document could not be given to the language server')
    tell('window/showMessage', {
      type: errorLevel,
      message: 'A document could not be checked, by a fault of the server; change it to try again.',
    })
  }
}

/** A time that people wait, such as `40 s` or `5 min`. */
export function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

/** Resolves when nothing else is tried alone and the server reads, or it has ended. */
export async function untilWritable(run: ServerRun): Promise<void> {
  while (run.isReserved || run.isFull) {
    await run.free()
    await run.drained()
  }
}

/** Changes from the last whole text on; undefined where there is none. */
function fromWholeText(changes: unknown): unknown[] | undefined {
  if (!Array.isArray(changes)) return undefined
  const at = changes.findLastIndex(
    (change) => isObject(change) && (change['range'] === undefined || change['range'] === null),
  )
  return at < 0 ? undefined : (changes.slice(at) as unknown[])
}
