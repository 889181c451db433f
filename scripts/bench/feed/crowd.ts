import { setTimeout as delay } from 'node:timers/promises'
import { CountingClient } from './counting-client.ts'

/** Many clients, and how many messages they got. */
export class Crowd {
  delivered = 0
  readonly #clients: CountingClient[] = []
  /** When each so many were delivered, by `performance.now()`. */
  #timed: { readonly every: number; readonly at: number[] } | undefined

  /** Connects some more. */
  async come(count: number, port: number, path: string): Promise<void> {
    for (let i = 0; i < count; i += 100) {
      const some = Array.from({ length: Math.min(100, count - i) }, () =>
        CountingClient.open(port, path, (frames) => {
          this.delivered += frames
          this.#time()
        }),
      )
      this.#clients.push(...(await Promise.all(some)))
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

  /** From now on notes when each so many messages are delivered. @returns the times, which go on to be added to */
  time(every: number): readonly number[] {
    this.#timed = { every, at: [] }
    return this.#timed.at
  }

  #time(): void {
    if (this.#timed === undefined) return
    const { every, at } = this.#timed
    while (this.delivered >= (at.length + 1) * every) at.push(performance.now())
  }

  /** Resolves when no more comes. */
  async untilQuiet(): Promise<void> {
    for (let seen = -1; seen < this.delivered; await delay(100)) seen = this.delivered
  }

  go(): void {
    for (const client of this.#clients) client.destroy()
  }
}
