/** What is to be told next. Heights are half open: `to` is not among them. */
export type FeedStep =
  | { readonly kind: 'blocks'; readonly from: number; readonly to: number }
  | { readonly kind: 'rollback'; readonly from: number }

/**
 * Decides which heights are told, in which order, each once.
 *
 * - Heights are told upwards. One that was told is not told again unless a rollback took it away.
 * - While more than `maxBacklog` heights wait, the oldest are left out: whoever follows the head of the chain wants the
 *   newest, and the rest is a request away. At the head, where few blocks wait, none is left out.
 * - A rollback is told after what was announced before it and was not taken back, and before what was announced after
 *   it.
 *
 * What it holds is bounded by `maxBacklog`, however much is announced.
 */
export class FeedQueue {
  readonly #maxBacklog: number
  #steps: FeedStep[] = []
  /** One above the highest height that was told or waits; undefined before the first announcement. */
  #end: number | undefined

  constructor(maxBacklog: number) {
    this.#maxBacklog = maxBacklog
  }

  /** One above the highest height that was told or waits. */
  get end(): number | undefined {
    return this.#end
  }

  /** Heights that wait. */
  get waiting(): number {
    return this.#steps.reduce((sum, step) => sum + heightsOf(step), 0)
  }

  /**
   * All below `end` was stored before anybody listened, and is not told; without effect where something was announced
   * already.
   */
  startAt(end: number): void {
    this.#end ??= end
  }

  /** The heights from `from` up to but not including `to` were stored. */
  announce(from: number, to: number): void {
    const begin = Math.max(from, this.#end ?? from)
    if (begin >= to) return
    const last = this.#steps.at(-1)
    if (last?.kind === 'blocks' && last.to === begin) this.#steps[this.#steps.length - 1] = { ...last, to }
    else this.#steps.push({ kind: 'blocks', from: begin, to })
    this.#end = to
    this.#leaveOutOldest()
  }

  /** The heights from `from` up were taken back: those that wait are gone, and not told. */
  rollback(from: number): void {
    this.#steps = this.#steps.flatMap((step): FeedStep[] => {
      if (step.kind === 'rollback' || step.to <= from) return [step]
      return step.from < from ? [{ ...step, to: from }] : []
    })
    const last = this.#steps.at(-1)
    if (last?.kind === 'rollback') this.#steps.pop()
    this.#steps.push({ kind: 'rollback', from: last?.kind === 'rollback' ? Math.min(last.from, from) : from })
    if (this.#end !== undefined) this.#end = Math.min(this.#end, from)
  }

  /** The next step, of at most `maxHeights` heights, or undefined when there is none. It stays until `done`. */
  peek(maxHeights: number): FeedStep | undefined {
    const step = this.#steps[0]
    return step?.kind === 'blocks' ? { ...step, to: Math.min(step.to, step.from + maxHeights) } : step
  }

  /** The step that `peek` gave was told. What was announced meanwhile may have left out a part of it. */
  done(step: FeedStep): void {
    const [first, ...rest] = this.#steps
    if (step.kind === 'rollback') {
      if (first?.kind === 'rollback') this.#steps = rest
      return
    }
    if (first?.kind !== 'blocks' || first.from >= step.to) return
    this.#steps = step.to < first.to ? [{ ...first, from: step.to }, ...rest] : rest
  }

  /** Forgets what waits: nobody listens. */
  clear(): void {
    this.#steps = []
  }

  #leaveOutOldest(): void {
    let excess = this.waiting - this.#maxBacklog
    if (excess <= 0) return
    this.#steps = this.#steps.flatMap((step): FeedStep[] => {
      if (step.kind === 'rollback') return [step]
      const cut = Math.min(excess, heightsOf(step))
      excess -= cut
      return step.from + cut < step.to ? [{ ...step, from: step.from + cut }] : []
    })
  }
}

function heightsOf(step: FeedStep): number {
  return step.kind === 'blocks' ? step.to - step.from : 0
}
