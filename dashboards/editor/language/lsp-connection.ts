import type { Transport } from '@codemirror/lsp-client'
import type { Network } from '../types.ts'
import { readMessage } from './deploy-channel.ts'
import type { ChannelMessage } from './deploy-channel.ts'

export type ServerState =
  | { readonly is: 'connecting' }
  | { readonly is: 'starting'; readonly label: string }
  | { readonly is: 'ready'; readonly label: string }
  | { readonly is: 'restarting'; readonly label: string }
  | { readonly is: 'away'; readonly reason: string }

interface LspConnectionOptions {
  readonly url: string
  readonly network: Network
  /** @returns called when the channel is lost */
  readonly onOpen: (transport: Transport) => () => void
  readonly onState: (state: ServerState) => void
}

const firstRetryMs = 500

const lastRetryMs = 15_000

/** Silence limit, ms. */
const connectTimeoutMs = 30_000

/**
 * Channel to the language server of a network. Each connection starts from the current state of the
 * page.
 *
 *     connecting ──ready──► ready ◄──► restarting (the channel opens the documents again)
 *         ▲                   │
 *         └── after a pause ──┴── lost: away
 */
export class LspConnection {
  readonly #options: LspConnectionOptions
  #socket: WebSocket | undefined
  #end: (() => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #label = ''
  #isClosed = false
  #refusal: string | undefined

  constructor(options: LspConnectionOptions) {
    this.#options = options
    addEventListener('online', this.#reconnect)
    this.#connect()
  }

  close(): void {
    this.#isClosed = true
    removeEventListener('online', this.#reconnect)
    clearTimeout(this.#timer)
    this.#end?.()
    this.#end = undefined
    this.#socket?.close(1000)
  }

  readonly #reconnect = (): void => {
    if (this.#socket !== undefined || this.#isClosed) return
    clearTimeout(this.#timer)
    this.#connect()
  }

  #connect(): void {
    const { url, network, onState } = this.#options
    onState({ is: 'connecting' })
    const socket = new WebSocket(url)
    this.#socket = socket
    this.#refusal = undefined
    const timer = setTimeout(() => socket.close(), connectTimeoutMs)
    const handlers = new Set<(message: string) => void>()
    let isReady = false
    socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'init', network })))
    socket.addEventListener('message', ({ data }) => {
      if (socket !== this.#socket || typeof data !== 'string') return
      const message = readMessage(data)
      if (message === undefined) return
      if (message.type === 'ready' && !isReady) {
        isReady = true
        clearTimeout(timer)
        this.#ready(socket, handlers, message)
      } else if (message.type === 'error') this.#refuse(socket, message, isReady)
      else if (message.method === 'flow/serverStatus') this.#showStatus(message)
      else if (message.type === undefined) for (const handler of Array.from(handlers)) handler(data)
    })
    socket.addEventListener('close', () => {
      clearTimeout(timer)
      if (socket === this.#socket) this.#lost()
    })
  }

  #ready(socket: WebSocket, handlers: Set<(message: string) => void>, { server }: ChannelMessage): void {
    this.#failures = 0
    this.#label = typeof server?.label === 'string' ? server.label : 'Language server'
    this.#options.onState({ is: 'ready', label: this.#label })
    this.#end = this.#options.onOpen({
      send: (message) => {
        // Messages to a lost channel are dropped; the next one sends all state.
        if (socket.readyState === WebSocket.OPEN) socket.send(message)
      },
      subscribe: (handler) => void handlers.add(handler),
      unsubscribe: (handler) => void handlers.delete(handler),
    })
  }

  #refuse(socket: WebSocket, { message }: ChannelMessage, isReady: boolean): void {
    if (isReady) return
    this.#refusal = typeof message === 'string' ? message : 'The language server rejected the connection.'
    socket.close()
  }

  #showStatus({ params }: ChannelMessage): void {
    const state = params?.state
    if (state === 'ready' || state === 'restarting' || state === 'starting')
      this.#options.onState({ is: state, label: this.#label })
  }

  #lost(): void {
    this.#socket = undefined
    this.#end?.()
    this.#end = undefined
    if (this.#isClosed) return
    this.#options.onState({
      is: 'away',
      reason: this.#refusal ?? 'The language server is not reachable. Retrying automatically. Everything else works.',
    })
    const wait = Math.min(lastRetryMs, firstRetryMs * 2 ** this.#failures++)
    // Jitter, so that pages do not reconnect all at once.
    this.#timer = setTimeout(() => this.#connect(), wait * (0.75 + Math.random() / 2))
  }
}

const requestCancelled = -32_800

const serverCancelled = -32_802

export class TrackedTransport implements Transport {
  readonly #inner: Transport
  readonly #open = new Set<number>()
  readonly #handlers = new Map<(message: string) => void, (message: string) => void>()

  constructor(inner: Transport) {
    this.#inner = inner
  }

  send(message: string): void {
    // Requests of the client start with the id; long messages have none.
    const id = /^\{"jsonrpc":"2\.0","id":(\d+),"method"/.exec(message)?.[1]
    if (id !== undefined) this.#open.add(Number(id))
    this.#inner.send(message)
  }

  subscribe(handler: (message: string) => void): void {
    const tracked = (message: string): void => handler(this.#received(message))
    this.#handlers.set(handler, tracked)
    this.#inner.subscribe(tracked)
  }

  unsubscribe(handler: (message: string) => void): void {
    const tracked = this.#handlers.get(handler)
    if (tracked !== undefined) this.#inner.unsubscribe(tracked)
    this.#handlers.delete(handler)
  }

  end(): void {
    for (const id of this.#open) {
      const answer = JSON.stringify({
        jsonrpc: '2.0',
        id,
        error: { code: requestCancelled, message: 'The connection to the language server was lost.' },
      })
      for (const handler of this.#handlers.keys()) handler(answer)
    }
    this.#open.clear()
  }

  #received(message: string): string {
    const value = JSON.parse(message) as {
      readonly id?: unknown
      readonly method?: unknown
      readonly error?: { readonly code?: unknown }
    }
    if (typeof value.id !== 'number' || value.method !== undefined) return message
    this.#open.delete(value.id)
    // The server restarted and dropped the request.
    return value.error?.code === serverCancelled
      ? JSON.stringify({ ...value, error: { ...value.error, code: requestCancelled } })
      : message
  }
}
