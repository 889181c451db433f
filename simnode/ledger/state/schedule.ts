import type { StatePart } from '../world/cycle.ts'

/** Which run first when several are due. */
export const priorities = { high: 0, medium: 1, low: 2 } as const

/** A transaction that is to run by itself. */
export interface Scheduled {
  /** The scheduler's number. */
  readonly id: number
  readonly priority: number
  /** Seconds since 1970. */
  readonly timestamp: number
  /** The block that runs it. */
  readonly dueHeight: number
  /** Paid in advance, in units of 10^-8 FLOW. */
  readonly fees: bigint
  readonly fails: boolean
}

/** Those that were scheduled in this cycle: none lasts longer. */
export class Schedule implements StatePart {
  readonly #pending = new Map<number, Scheduled>()
  readonly #ended = new Set<number>()
  /** Those that ran in the last block; what was paid for them is taken in the next. */
  #ran: readonly Scheduled[] = []

  add(one: Scheduled): void {
    this.#pending.set(one.id, one)
  }

  /** Takes out those that a block runs: by priority, then in the order of their numbers. */
  takeDue(height: number): readonly Scheduled[] {
    const due = [...this.#pending.values()]
      .filter(({ dueHeight }) => dueHeight === height)
      .toSorted((a, b) => a.priority - b.priority || a.id - b.id)
    for (const { id } of due) this.#end(id)
    this.#ran = due
    return due
  }

  /** Those of the last block that was asked for. */
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
