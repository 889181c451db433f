/** Something that is given up when its time has come. */
export interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly dueAt: number
  expire(): void
}

/** The longest time that a timer takes, in milliseconds. */
const longestTimer = 2 ** 31 - 1

/**
 * One timer for many deadlines, nearly all of which are never reached: it waits for the first of them, and looks
 * through the others only then. It does not keep the process alive.
 */
export class Deadlines {
  readonly #pending = new Set<Deadline>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  add(deadline: Deadline): void {
    this.#pending.add(deadline)
    if (deadline.dueAt < this.#timerAt) this.#wait(deadline.dueAt)
  }

  delete(deadline: Deadline): void {
    this.#pending.delete(deadline)
  }

  #wait(until: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = until
    const ms = Math.max(1, Math.ceil(until - performance.now()))
    this.#timer = setTimeout(this.#look, Math.min(ms, longestTimer)).unref()
  }

  readonly #look = (): void => {
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const deadline of this.#pending) {
      if (deadline.dueAt <= now) {
        this.#pending.delete(deadline)
        deadline.expire()
      } else next = Math.min(next, deadline.dueAt)
    }
    if (next < this.#timerAt) this.#wait(next)
  }
}
