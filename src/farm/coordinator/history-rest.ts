/**
 * HISTORY_DERIVERS_SLEEP_MS: each worker does one range of history at a time and rests after it.
 *
 *     working ──no open range of history──► resting ──restMs gone by──► may have one more ──► working
 */
export class HistoryRest {
  readonly #restMs: number
  readonly #restingSince = new Map<string, number>()

  /** @param restMs 0: no rests, and no limit of one range */
  constructor(restMs: number) {
    this.#restMs = restMs
  }

  /** How many ranges of history a worker that has `open` of them may have more, out of `room`. `now` in milliseconds. */
  room(worker: string, open: number, room: number, now: number): number {
    if (this.#restMs === 0) return room
    if (open > 0) {
      this.#restingSince.delete(worker)
      return 0
    }
    const since = this.#restingSince.get(worker)
    if (since !== undefined && now - since >= this.#restMs) {
      // That one may be done before anybody looks again, so its rest begins when no range is seen next.
      this.#restingSince.delete(worker)
      return Math.min(1, room)
    }
    if (since === undefined) this.#restingSince.set(worker, now)
    return 0
  }
}
