/**
 * HISTORY_DERIVERS_GATHER_MS: a worker that keeps up with ingest would get many small ranges of history, and each commit
 * costs as much as some ten blocks. So it gets none for a while after it got some, and what is stored meanwhile comes as
 * one range. Where much is owed this holds nothing up: each time many ranges are given. Who follows other workers has
 * no need of it.
 */
export class HistoryGather {
  readonly #gatherMs: number
  readonly #givenAt = new Map<string, number>()

  constructor(gatherMs: number) {
    this.#gatherMs = gatherMs
  }

  /** How many ranges of history a worker may have, out of `room`. `now` in milliseconds. */
  room(worker: string, room: number, now: number): number {
    const givenAt = this.#givenAt.get(worker)
    return givenAt !== undefined && now - givenAt < this.#gatherMs ? 0 : room
  }

  /** The worker got ranges of history. */
  given(worker: string, now: number): void {
    this.#givenAt.set(worker, now)
  }
}
