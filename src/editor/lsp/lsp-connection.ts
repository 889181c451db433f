import type { RawData, WebSocket } from 'ws'
import { asError } from '../../platform/errors.ts'
import { isShallowText } from '../../platform/http/read-json.ts'
import type { EditorNetwork } from '../editor-network.ts'
import type { Logger } from '../../platform/log.ts'
import type { ImportWorkspaces } from '../imports/import-workspace.ts'
import type { CrashBudget } from '../language-server/crash-budget.ts'
import type { ClientShares } from './client-shares.ts'
import type { DeployFeed } from './deploy-subscriptions.ts'
import { DeploySubscriptions } from './deploy-subscriptions.ts'
import { errorText, isObject, notificationText, rpcCodes, rpcMessageOf } from '../language-server/json-rpc.ts'
import type { LanguageServer } from '../language-server/language-server.ts'
import type { Clock, LspLimits, LspMetrics } from '../language-server/lsp-limits.ts'
import { LspSession } from './lsp-session.ts'
import { unitsOfBytes, WorkBudget, workUnits } from './client-shares.ts'

interface LspConnectionOptions {
  readonly servers: ReadonlyMap<EditorNetwork, LanguageServer>
  readonly offered: () => readonly EditorNetwork[]
  readonly workspaces: ImportWorkspaces
  readonly deploys: DeployFeed | undefined
  readonly limits: LspLimits
  readonly metrics: LspMetrics
  readonly log: Logger
  readonly crashes: CrashBudget
  readonly shares: ClientShares
  readonly clock: Clock
  readonly client: string
}

/** A dropped client has this time to read the reason. */
const dropGraceMs = 1000

/**
 * One WebSocket. Its first message selects the network.
 *
 *     open ──init──► with a session ──init for another network──► with another session
 *       └──exit, too slow, closed by the client or the server──► closed
 *
 * The socket is not read while the queue is full or a work budget is overdrawn. Messages that were
 * read together (at most 64 KiB) are held until then.
 */
export class LspConnection {
  isAlive = true
  readonly #socket: WebSocket
  readonly #options: LspConnectionOptions
  readonly #deploys: DeploySubscriptions
  #session: LspSession | undefined
  readonly #closing = new Set<Promise<void>>()
  #isBackedUp = false
  readonly #work: WorkBudget
  #held: { readonly bytes: Buffer; readonly isBinary: boolean }[] = []
  #resting: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(socket: WebSocket, options: LspConnectionOptions) {
    this.#socket = socket
    this.#options = options
    const { limits, deploys, log } = options
    this.#work = new WorkBudget(limits.workPerSecond)
    this.#deploys = new DeploySubscriptions({
      feed: deploys,
      max: limits.deploySubscriptions,
      log,
      send: (message) => this.#send(JSON.stringify(message)),
    })
    socket.on('pong', () => {
      this.isAlive = true
    })
    socket.on('message', (data, isBinary) => {
      if (this.#isClosed || socket.readyState !== socket.OPEN) return
      const bytes = bytesOf(data)
      if (this.#resting === undefined) this.#receive(bytes, isBinary)
      else this.#held.push({ bytes, isBinary })
    })
    socket.on('error', (error: Error & { code?: string }) => {
      if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') options.metrics.closed.inc({ reason: 'too-large' })
      log.debug({ err: error }, 'LSP client error')
    })
    socket.once('close', () => this.#gone())
  }

  /** Terminates a client that did not answer the last ping. */
  ping(): void {
    // A paused socket cannot answer.
    if (!this.isAlive && !this.#socket.isPaused) {
      this.#options.metrics.closed.inc({ reason: 'silent' })
      this.#socket.terminate()
      return
    }
    this.isAlive = false
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping()
  }

  /** Does not wait for the client. */
  drop(code: number, reason: string): void {
    this.#socket.resume() // receive the client's close
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), dropGraceMs).unref()
  }

  async ended(): Promise<void> {
    while (this.#closing.size > 0) await Promise.all(this.#closing)
  }

  #receive(bytes: Buffer, isBinary: boolean): void {
    try {
      this.#take(bytes, isBinary)
    } catch (error) {
      // An internal error ends this connection only.
      this.#options.log.error({ err: asError(error) }, 'Could not handle an LSP message')
      this.drop(1011, 'internal error')
    }
  }

  #take(bytes: Buffer, isBinary: boolean): void {
    this.isAlive = true
    this.#spend(1 + unitsOfBytes(bytes.length))
    const value = isBinary || !isShallowText(bytes) ? undefined : parsed(bytes)
    if (value === undefined) {
      const message = 'A message must be one JSON object in a text frame, without headers and not nested too deeply.'
      return this.#send(errorText(null, { code: rpcCodes.parseError, message }))
    }
    const type = isObject(value) && !('jsonrpc' in value) && !('method' in value) ? value['type'] : undefined
    if (isObject(value) && typeof type === 'string') this.#takeOwn(type, value)
    else this.#takeRpc(value, bytes.length)
  }

  #takeOwn(type: string, message: Readonly<Record<string, unknown>>): void {
    if (type === 'init') this.#init(message['network'])
    else if (type === 'subscribe:deploy') {
      this.#spend(workUnits.subscription)
      void this.#deploys.subscribe(message)
    } else if (type === 'unsubscribe:deploy') this.#deploys.unsubscribe(message)
    else
      this.#refuse(
        'unknown-type',
        'type must be init, subscribe:deploy or unsubscribe:deploy; other messages are JSON-RPC.',
      )
  }

  #init(network: unknown): void {
    const { servers, offered, workspaces } = this.#options
    const own = offered().find((one) => one === network)
    const server = own === undefined ? undefined : servers.get(own)
    if (own === undefined || server === undefined)
      return this.#refuse('unknown-network', `network: choose ${offered().join(', ')}.`)
    if (this.#session?.network === own) return this.#session.initAgain()
    this.#spend(workUnits.networkChange)
    this.#leaveSession()
    const previous = Promise.all(this.#closing)
    const session: LspSession = new LspSession({
      ...this.#options,
      network: own,
      server,
      previous,
      spend: (units) => this.#spend(units),
      openWorkspace: () => workspaces.open(own),
      send: (text) => this.#send(text),
      onWaiting: (bytes) => {
        if (this.#session === session) this.#crowd(bytes)
      },
      onFailed: (code, message) => {
        if (this.#session !== session) return
        this.#refuse(code, message)
        this.#leaveSession()
      },
    })
    this.#session = session
    session.start()
  }

  #takeRpc(value: unknown, bytes: number): void {
    const message = rpcMessageOf(value)
    const session = this.#session
    if (message.kind === 'invalid')
      return this.#send(errorText(message.id, { code: rpcCodes.invalidRequest, message: message.why }))
    if (message.kind === 'response') return // the server sends no requests
    if (message.method === 'exit') return this.drop(1000, 'exit')
    if (session === undefined) {
      this.#send(JSON.stringify({ type: 'error', code: 'not-initialized', message: 'Send init message first' }))
      if (message.kind === 'request')
        this.#send(errorText(message.id, { code: rpcCodes.serverNotInitialized, message: 'Send init message first' }))
      return
    }
    const refusal = this.#refusalOf(message.method, bytes)
    if (message.kind === 'request') this.#spend(workUnits.request)
    if (message.kind === 'request') session.request(message.id, message.method, message.params, bytes, refusal)
    else session.notification(message.method, message.params, bytes, refusal)
  }

  #refusalOf(method: string, bytes: number): string | undefined {
    const { messageBytes } = this.#options.limits
    if (bytes <= messageBytes) return undefined
    const refusal = `the message has ${bytes} bytes (limit ${messageBytes})`
    this.#send(notificationText('window/showMessage', { type: 1, message: `${method} was rejected: ${refusal}.` }))
    return refusal
  }

  #refuse(code: string, message: string): void {
    this.#send(JSON.stringify({ type: 'error', code, message }))
  }

  #send(text: string): void {
    const socket = this.#socket
    if (socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > this.#options.limits.unreadBytes) {
      this.#options.metrics.closed.inc({ reason: 'slow' })
      return this.drop(1013, 'too slow: read the messages')
    }
    socket.send(text)
    this.#spend(unitsOfBytes(text.length))
  }

  /** Pauses reading while over budget. */
  #spend(units: number): void {
    const { shares, client } = this.#options
    const ofAddress = shares.workOf(client)
    this.#work.spend(units)
    ofAddress.spend(units)
    const waitMs = Math.max(this.#work.waitMs, ofAddress.waitMs)
    if (waitMs === 0 || this.#resting !== undefined || this.#isClosed) return
    this.#resting = setTimeout(() => this.#resume(), waitMs)
    this.#readOrNot()
  }

  /** At least one, more while the budget lasts. */
  #resume(): void {
    this.#resting = undefined
    let taken = 0
    while (this.#resting === undefined && !this.#isClosed) {
      const message = this.#held[taken]
      if (message === undefined) break
      taken++
      this.#receive(message.bytes, message.isBinary)
    }
    this.#held = this.#held.slice(taken)
    this.#readOrNot()
  }

  #crowd(waitingBytes: number): void {
    const { waitingBytes: max } = this.#options.limits
    if (this.#isBackedUp ? waitingBytes > max / 2 : waitingBytes <= max) return
    this.#isBackedUp = !this.#isBackedUp
    this.#readOrNot()
  }

  #readOrNot(): void {
    if (this.#isClosed) return
    if (this.#isBackedUp || this.#resting !== undefined) this.#socket.pause()
    else this.#socket.resume()
  }

  #leaveSession(): void {
    const session = this.#session
    this.#session = undefined
    this.#isBackedUp = false
    this.#readOrNot()
    if (session === undefined) return
    const ending = session.close().finally(() => this.#closing.delete(ending))
    this.#closing.add(ending)
  }

  #gone(): void {
    this.#isClosed = true
    clearTimeout(this.#resting)
    this.#held = []
    this.#deploys.close()
    this.#leaveSession()
  }
}

function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data)
  return Buffer.isBuffer(data) ? data : Buffer.from(data)
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString()) as unknown
  } catch {
    return undefined
  }
}
