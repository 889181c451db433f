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

const rememberedVersions = 64

/** The server sees our own versions, because documents are sent again without a change. */
export class OpenDocument {
  readonly path: string
  readonly languageId: string
  readonly quarantine: Quarantine
  readonly requests: Quarantine
  text: string
  bytes = 0
  /** Set if the text is too large or a change failed: the client must send the whole text. */
  refusal: string | undefined
  /** As last reported to the client. */
  reportedAsideUntil: number | undefined
  isRefreshing = false
  #prepared = ''
  #clientVersion: number | undefined
  #serverVersion = 0
  #isGiven = false
  #givenTo: ServerRun | undefined
  readonly #clientVersions = new Map<number, number | undefined>()

  constructor(path: string, languageId: string, version: unknown, crashes: CrashBudget, client: string) {
    this.path = path
    this.languageId = languageId
    this.text = ''
    this.version = version
    this.quarantine = new Quarantine(crashes, client)
    this.requests = new Quarantine(crashes, client, true)
  }

  set version(version: unknown) {
    this.#clientVersion = typeof version === 'number' && Number.isInteger(version) ? version : undefined
  }

  set prepared(text: string) {
    this.#prepared = text
    this.#isGiven = false
  }

  isGivenTo(run: ServerRun): boolean {
    return this.#givenTo === run && this.#isGiven
  }

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

  /** @param isReset the server ignores closing, so it gets an empty text */
  takeFrom(run: ServerRun, uri: string, isReset: boolean): void {
    if (this.#givenTo !== run) return
    this.#givenTo = undefined
    run.skipDiagnosis(this.quarantine)
    if (isReset)
      run.notify('textDocument/didChange', {
        textDocument: { uri, version: this.#serverVersion + 1 },
        contentChanges: [{ text: '' }],
      })
    run.notify('textDocument/didClose', { textDocument: { uri } })
  }

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
  readonly client: string
  readonly signal: AbortSignal
  readonly spend: (units: number) => void
  readonly notify: (method: string, params: Record<string, unknown>) => void
  readonly enqueue: (run: () => Promise<void>) => void
}

const [errorLevel, warningLevel] = [1, 2]

/**
 * Servers get whole texts, so a new run can get all documents in order. Methods are called one at a
 * time.
 */
export class SessionDocuments {
  readonly #options: SessionDocumentsOptions
  readonly requests: Quarantine
  readonly #open = new Map<string, OpenDocument>()
  readonly #fetches: ContractFetches
  #bytes = 0
  #generation: number | undefined
  /** The run that has, or is getting, all documents. */
  #run: ServerRun | undefined
  #waking: { readonly at: number; readonly stop: () => void } | undefined

  constructor(options: SessionDocumentsOptions) {
    const { workspace, limits, signal, log, notify, crashes, shares, client } = options
    this.#options = options
    this.requests = new Quarantine(crashes, client, true)
    this.#generation = workspace.generation
    this.#fetches = new ContractFetches({
      workspace,
      signal,
      log,
      max: limits.contractsPerConnection,
      mayFetch: () => shares.mayFetch(client),
      onResolved: ({ address, name, code }) =>
        notify('flow/dependencyResolved', { address: `0x${address}`, contractName: name, code }),
      onUnresolved: ({ address, name }, why) =>
        notify('flow/dependencyUnresolved', { address: `0x${address}`, contractName: name, message: why }),
      onNeeded: (paths) => this.#refresh([...paths, ...this.#outdated()]),
    })
  }

  get(path: string): OpenDocument | undefined {
    return this.#open.get(path)
  }

  /** Resolves when the run has all documents. Rejects when the session ends. */
  async ready(): Promise<ServerRun> {
    for (;;) {
      const run = await this.#options.server.ready(this.#options.signal)
      if (run === this.#run) return run
      this.#run = run
      await this.#giveAll(run)
      if (run.isAlive) return run
    }
  }

  /** @throws ForeignUri, BadChange */
  async open(params: unknown): Promise<void> {
    const { space, limits, metrics, network, crashes, client } = this.#options
    const item = isObject(params) && isObject(params['textDocument']) ? params['textDocument'] : {}
    const path = space.pathOf(item['uri'])
    const { text, version, languageId } = item
    if (typeof text !== 'string') throw new BadChange('textDocument: text is required')
    let document = this.#open.get(path)
    if (document === undefined) {
      if (this.#open.size >= limits.documentsPerConnection) {
        throw new BadChange(
          `too many open documents (limit ${limits.documentsPerConnection}); close one to open ${path}`,
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
   * @param isFollowed another change is queued: the server gets the result of both. @throws
   * ForeignUri, BadChange
   */
  async change(params: unknown, isFollowed: () => boolean = () => false): Promise<void> {
    const item = isObject(params) && isObject(params['textDocument']) ? params['textDocument'] : {}
    const document = this.#open.get(this.#options.space.pathOf(item['uri']))
    if (document === undefined) throw new BadChange('the changed document is not open; send textDocument/didOpen first')
    const changes = isObject(params) ? params['contentChanges'] : undefined
    const usable = document.refusal === undefined ? changes : fromWholeText(changes)
    if (usable === undefined) return
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
      await this.#refuse(document, `could not apply a change (${error.message}); send the whole text or open it again`)
      return
    }
    await this.#setText(document, text, item['version'], isFollowed)
  }

  async close(params: unknown): Promise<void> {
    const { space, workspace, metrics, network } = this.#options
    const item = isObject(params) && isObject(params['textDocument']) ? params['textDocument'] : {}
    const path = space.pathOf(item['uri'])
    const document = this.#open.get(path)
    if (document === undefined) return
    await this.#take(document)
    this.#open.delete(path)
    this.#release(document)
    metrics.documents.dec({ network })
    this.#diagnose(document, [])
    space.close(path)
    const importers = workspace.importersOf?.(path) ?? []
    await workspace.remove(path)
    this.#refresh([...importers, ...this.#outdated()])
  }

  publish(params: Record<string, unknown>, uri: string): void {
    const { space, notify } = this.#options
    const path = space.ownPath(uri)
    const document = path === undefined ? undefined : this.#open.get(path)
    if (document === undefined) return
    this.#run?.diagnosed(document.quarantine)
    if (document.refusal !== undefined || document.quarantine.setAsideUntil !== undefined) return
    const version = document.clientVersionOf(params['version'])
    notify('textDocument/publishDiagnostics', {
      uri: space.clientUri(document.path),
      ...(version === undefined ? {} : { version }),
      diagnostics: toClient(params['diagnostics'], space) ?? [],
    })
  }

  leave(): void {
    const { metrics, network, space } = this.#options
    this.#waking?.stop()
    for (const document of this.#open.values()) {
      if (this.#run !== undefined) document.takeFrom(this.#run, space.serverUri(document.path), this.#ignoresClose)
    }
    for (const document of this.#open.values()) this.#release(document)
    metrics.documents.dec({ network }, this.#open.size)
    this.#open.clear()
  }

  /** A message could not be handled; the document is no longer checked. */
  async lose(params: unknown, why: string): Promise<void> {
    const item = isObject(params) && isObject(params['textDocument']) ? params['textDocument'] : {}
    const document = this.#open.get(this.#options.space.pathOf(item['uri']))
    if (document !== undefined) await this.#refuse(document, why)
  }

  /** The CLI's checker ignores closing. */
  get #ignoresClose(): boolean {
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
    if (bytes > documentBytes) return this.#refuse(document, `it has more than ${documentBytes} bytes. Make it smaller`)
    if (all > connectionBytes)
      return this.#refuse(
        document,
        `the open documents have more than ${connectionBytes} bytes. Close one and open this again`,
      )
    const full = this.#options.shares.hold(this.#options.client, bytes - document.bytes)
    if (full !== undefined) return this.#refuse(document, `${full}. Close one and open this again`)
    this.#bytes = all
    document.text = text
    document.bytes = bytes
    document.refusal = undefined
    document.quarantine.changed()
    document.requests.changed()
    if (isFollowed()) return
    await this.#prepareAndGive(document)
    // A checker keeps types of importing documents.
    const others = [...(this.#options.workspace.importersOf?.(document.path) ?? []), ...this.#outdated()]
    this.#refresh(others.filter((path) => path !== document.path))
  }

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
    if (missing.length > 0) this.#fetches.request(document.path, missing)
    const run = await this.ready()
    if (!document.isGivenTo(run)) await this.#giveOrLeave(run, document)
  }

  async #giveAll(run: ServerRun): Promise<void> {
    for (const document of this.#open.values()) {
      if (!run.isAlive) return
      if (!document.isGivenTo(run)) await this.#giveOrLeave(run, document)
    }
  }

  async #giveOrLeave(run: ServerRun, document: OpenDocument): Promise<void> {
    const { space } = this.#options
    if (document.refusal !== undefined) return
    const until = document.quarantine.setAsideUntil
    if (until !== undefined) return this.#setAside(document, until)
    document.reportedAsideUntil = undefined
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

  #release(document: OpenDocument): void {
    this.#options.shares.hold(this.#options.client, -document.bytes)
    this.#bytes -= document.bytes
    document.bytes = 0
  }

  async #refuse(document: OpenDocument, why: string): Promise<void> {
    const wasRefused = document.refusal !== undefined
    document.refusal = why
    document.text = ''
    this.#release(document)
    await this.#take(document)
    this.#diagnose(document, [`Document not checked: ${why}.`])
    if (!wasRefused)
      this.#options.notify('window/showMessage', {
        type: warningLevel,
        message: `${document.path} not checked: ${why}.`,
      })
  }

  #setAside(document: OpenDocument, until: number): void {
    const { notify, space, metrics, network, log, clock } = this.#options
    this.#wakeAt(until)
    if (document.reportedAsideUntil === until) return
    document.reportedAsideUntil = until
    metrics.setAside.inc({ network })
    const pauseMs = Math.ceil(until - clock.now())
    log.warn({ bytes: document.bytes, pauseMs }, 'Quarantined a document that crashes the language server')
    const at = new Date(until).toISOString()
    const why =
      'the language server crashed several times on it or on others of your address. It is retried in ' +
      `${formatDuration(pauseMs)}, at ${at}`
    this.#diagnose(document, [`Document not checked: ${why}.`])
    notify('flow/documentSetAside', { uri: space.clientUri(document.path), message: why, until: at })
    notify('window/showMessage', { type: errorLevel, message: `${document.path} not checked: ${why}.` })
  }

  #wakeAt(at: number): void {
    const { clock, signal, enqueue } = this.#options
    if (signal.aborted || (this.#waking !== undefined && this.#waking.at <= at)) return
    this.#waking?.stop()
    const stop = clock.after(Math.max(0, at - clock.now()), () => {
      this.#waking = undefined
      const aside = this.#open.values().filter(({ reportedAsideUntil }) => reportedAsideUntil !== undefined)
      for (const document of aside) {
        enqueue(async () => {
          if (this.#open.get(document.path) !== document || document.reportedAsideUntil === undefined) return
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
    document.takeFrom(run, this.#options.space.serverUri(document.path), this.#ignoresClose)
  }

  /** Replaces the server's diagnostics. */
  #diagnose(document: OpenDocument, messages: readonly string[]): void {
    const start = { line: 0, character: 0 }
    this.#options.notify('textDocument/publishDiagnostics', {
      uri: this.#options.space.clientUri(document.path),
      diagnostics: messages.map((message) => ({
        range: { start, end: { line: 0, character: 1 } },
        severity: warningLevel,
        source: 'flowfarm',
        message,
      })),
    })
  }

  /** Updates documents whose imports arrived. */
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

  failed(error: unknown): void {
    const { notify, log } = this.#options
    log.error({ err: asError(error) }, 'Could not send a document to the language server')
    notify('window/showMessage', {
      type: errorLevel,
      message: 'A document was not checked because of an internal error. Change it to try again.',
    })
  }
}

export function formatDuration(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

/** Resolves when nothing is sent alone and the server reads, or has ended. */
export async function untilWritable(run: ServerRun): Promise<void> {
  while (run.isReserved || run.isFull) {
    await run.free()
    await run.drained()
  }
}

function fromWholeText(changes: unknown): unknown[] | undefined {
  if (!Array.isArray(changes)) return undefined
  const at = changes.findLastIndex(
    (change) => isObject(change) && (change['range'] === undefined || change['range'] === null),
  )
  return at < 0 ? undefined : (changes.slice(at) as unknown[])
}
