import type { Transport } from '@codemirror/lsp-client'

const requestCancelled = -32_800
const serverCancelled = -32_802

/** A transport whose questions are all answered in the end: those that a lost channel took along are told that they were taken back. */
export class TrackedTransport implements Transport {
  readonly #inner: Transport
  readonly #open = new Set<number>()
  readonly #handlers = new Map<(message: string) => void, (message: string) => void>()

  constructor(inner: Transport) {
    this.#inner = inner
  }

  send(message: string): void {
    // As the client writes its requests; what is long has no id.
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

  /** The channel is lost. */
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
    // A server that was started again has no answer any more: nobody did anything wrong.
    return value.error?.code === serverCancelled
      ? JSON.stringify({ ...value, error: { ...value.error, code: requestCancelled } })
      : message
  }
}
