import type { StatePart } from '../world/cycle.ts'

export const priorities = { high: 0, medium: 1, low: 2 } as const

export interface Scheduled {
  readonly id: number
  readonly priority: number
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly dueHeight: number
  /** Paid in advance, in units of 10^-8 FLOW. */
  readonly fees: bigint
  readonly fails: boolean
}

/** Scheduled transactions last at most until the end of the cycle. */
export class Schedule implements StatePart {
  readonly #pending = new Map<number, Scheduled>()
  readonly #ended = new Set<number>()
  /** Executed in the last block; their fees are taken in the next. */
  #ran: readonly Scheduled[] = []

  add(one: Scheduled): void {
    this.#pending.set(one.id, one)
  }

  /** Ordered by priority, then id. */
  takeDue(height: number): readonly Scheduled[] {
    const due = [...this.#pending.values()]
      .filter(({ dueHeight }) => dueHeight === height)
      .toSorted((a, b) => a.priority - b.priority || a.id - b.id)
    for (const { id } of due) this.#end(id)
    this.#ran = due
    return due
  }

  get ran(): readonly Scheduled[] {
    return this.#ran
  }

  cancel(id: number): void {
    this.#end(id)
  }

  isPending(id: number): boolean {
    return this.#pending.has(id)
  }

  *touched(): Generator<string> {
    for (const id of this.#pending.keys()) yield String(id)
    for (const id of this.#ended) yield String(id)
  }

  read(key: string): string {
    return this.#pending.has(Number(key)) ? 'pending' : '-'
  }

  #end(id: number): void {
    this.#pending.delete(id)
    this.#ended.add(id)
  }
}
