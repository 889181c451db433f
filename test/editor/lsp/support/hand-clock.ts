import type { Clock } from '../../../../src/editor/language-server/lsp-limits.ts'

/** A clock that goes on when it is told to. What is due is then done, in the order of its times. */
export interface HandClock extends Clock {
  /** Goes on by so many ms. */
  advance(ms: number): void
  /** Things that wait for their times. */
  readonly waiting: number
}

export function handClock(start = Date.UTC(2026, 0, 1)): HandClock {
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
