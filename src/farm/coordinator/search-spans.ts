/** What one search for owed heights below the live zone came to. */
export interface Search {
  /** How far below the highest stored height it looked. */
  readonly span: number
  /** As far as there is anything to look at. */
  readonly whole: number
  /** Leases that could have been given. */
  readonly room: number
  /** How far below the highest stored height each lease begins that was given. */
  readonly depths: readonly number[]
  readonly startedAt: number
  readonly endedAt: number
}

/** A span is widened by this factor, so that a chain of 200 million blocks is in sight after three rounds. */
const widening = 8

/**
 * How far below the head owed heights are looked for, for each worker. Looking costs what the sets of coverage have in
 * pieces there, so it goes no further down than it must:
 *
 * - as far as twice the depth of the last finds, while they fill the room;
 * - further at once while they do not, up to the whole chain;
 * - near the head again when the whole chain has nothing, and then for ten times as long as looking took.
 */
export class SearchSpans {
  readonly #least: number
  readonly #spans = new Map<string, number>()
  readonly #nextWidening = new Map<string, number>()

  /** @param least the span near the head, in heights */
  constructor(least: number) {
    this.#least = least
  }

  of(worker: string): number {
    return this.#spans.get(worker) ?? this.#least
  }

  /** Takes note of a search. Times in milliseconds. @returns whether to look further down at once */
  searched(worker: string, { span, whole, room, depths, startedAt, endedAt }: Search): boolean {
    if (room === 0) return false
    if (depths.length >= room) {
      this.#spans.set(worker, Math.max(this.#least, 2 * Math.max(...depths)))
      return false
    }
    if (span < whole) {
      if (endedAt < (this.#nextWidening.get(worker) ?? 0)) return false
      this.#spans.set(worker, span * widening)
      return true
    }
    if (depths.length === 0) {
      this.#spans.delete(worker)
      this.#nextWidening.set(worker, endedAt + 10 * (endedAt - startedAt))
    }
    return false
  }
}
