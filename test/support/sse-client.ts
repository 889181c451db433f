import { request } from 'node:http'
import type { ClientRequest } from 'node:http'

export interface ServerEvent {
  readonly event: string
  readonly data: unknown
}

/** A reader of server-sent events. */
export class SseClient {
  readonly events: ServerEvent[] = []
  readonly #request: ClientRequest
  readonly #waiting = new Set<() => void>()
  #isEnded = false

  constructor(url: string, headers: Record<string, string> = {}) {
    let text = ''
    this.#request = request(url, { headers, agent: false }, (response) => {
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          const blocks = (text + chunk).split('\n\n')
          text = blocks.pop() ?? ''
          for (const block of blocks) this.#accept(block)
        })
        .on('close', () => {
          this.#isEnded = true
          this.#wake()
        })
    })
    this.#request.on('error', () => this.#wake()).end()
  }

  /**
   * The first event from index `from` on for which `isIt` is true. Rejects if the stream ends
   * before.
   */
  async next(isIt: (event: ServerEvent) => boolean, from = 0): Promise<ServerEvent> {
    for (;;) {
      const found = this.events.slice(from).find(isIt)
      if (found !== undefined) return found
      if (this.#isEnded) throw new Error('the stream ended')
      await this.#signal()
    }
  }

  async ended(): Promise<void> {
    while (!this.#isEnded) await this.#signal()
  }

  close(): void {
    this.#request.destroy()
  }

  #signal(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
    })
  }

  #accept(block: string): void {
    const lines = block.split('\n')
    const value = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
    const event = value('event')
    if (event !== undefined) this.events.push({ event, data: JSON.parse(value('data') ?? 'null') as unknown })
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting) wake()
  }
}
