/** What the page asks of the feed when it is connected. */
export interface Greeting {
  readonly type: 'subscribe'
  readonly id: 'page'
  readonly batch: true
  /** The last message that the page has. */
  readonly after?: string
}

/** After a longer break the page begins anew: what was missed is more than it shows. */
const longestBreakMs = 30_000

/** Where the page is in the feed, so that it goes on after a break without a gap. */
export class LivePlace {
  #mark: string | undefined
  #lostAt: number | undefined

  /** Whether it has to ask for what is there: it cannot go on from anywhere. */
  get isNew(): boolean {
    return this.#mark === undefined
  }

  /** A message came; only those of the chain have a mark. */
  hear(mark: string | undefined): void {
    if (mark !== undefined) this.#mark = mark
  }

  /** The connection is lost, or could not be had. @param now in milliseconds */
  lose(now: number): void {
    this.#lostAt ??= now
  }

  /** The connection is there. @param now in milliseconds */
  greet(now: number): Greeting {
    if (this.#lostAt !== undefined && now - this.#lostAt > longestBreakMs) this.forget()
    this.#lostAt = undefined
    return { type: 'subscribe', id: 'page', batch: true, ...(this.#mark === undefined ? {} : { after: this.#mark }) }
  }

  /** The feed does not go back so far. */
  forget(): void {
    this.#mark = undefined
  }
}
