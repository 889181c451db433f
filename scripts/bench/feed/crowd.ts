import { setTimeout as delay } from 'node:timers/promises'
import { CountingClient } from './counting-client.ts'

/** Many clients, and how many messages they got. */
export class Crowd {
  delivered = 0
  readonly #clients: CountingClient[] = []

  /** Connects some more. */
  async come(count: number, port: number, path: string): Promise<void> {
    for (let i = 0; i < count; i += 100) {
      const some = Array.from({ length: Math.min(100, count - i) }, () => CountingClient.open(port, path, (frames) => {
        this.delivered += frames
      }))
      this.#clients.push(...await Promise.all(some))
    }
  }

  /** Each subscribes; resolves when all are answered. */
  async subscribe(wish: (client: number) => unknown): Promise<void> {
    this.#clients.forEach((client, i) => client.say({ type: 'subscribe', id: 1, filter: wish(i) }))
    await this.untilQuiet()
  }

  /** So many of each hundred read no more. */
  stall(ofHundred: number): void {
    this.#clients.forEach((client, i) => {
      if (i % 100 < ofHundred) client.stall()
    })
  }

  /** Resolves when no more comes. */
  async untilQuiet(): Promise<void> {
    for (let seen = -1; seen < this.delivered; await delay(100)) seen = this.delivered
  }

  go(): void {
    for (const client of this.#clients) client.destroy()
  }
}
