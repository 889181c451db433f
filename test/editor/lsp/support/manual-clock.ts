import type { Clock } from '../../../../src/editor/language-server/lsp-limits.ts'

/** A clock that tests advance. Due callbacks run in time order. */
export interface ManualClock extends Clock {
  /** Advances by `ms`. */
  advance(ms: number): void
  /** Number of pending timers. */
  readonly waiting: number
}

export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  const due = new Set<{ readonly at: number; readonly run: () => void }>()
  let now = start
  return {
    now: () => now,
    after: (ms, run) => {
      const entry = { at: now + ms, run }
      due.add(entry)
      return () => due.delete(entry)
    },
    advance: (ms) => {
      const until = now + ms
      for (;;) {
        const [first] = [...due].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)
        if (first === undefined) break
        due.delete(first)
        now = Math.max(now, first.at)
        first.run()
      }
      now = until
    },
    get waiting() {
      return due.size
    },
  }
}
