/** `to` is exclusive. */
export type FeedStep =
  | { readonly kind: 'blocks'; readonly from: number; readonly to: number }
  | { readonly kind: 'rollback'; readonly from: number }

/**
 * Determines which heights are published, each once and in order.
 *
 * - Heights are published again only after a rollback.
 * - Beyond `maxBacklog`, the oldest are dropped.
 * - A rollback is published after remaining earlier heights and before later ones.
 */
export class FeedQueue {
  readonly #maxBacklog: number
  #steps: FeedStep[] = []
  /** Height after the highest published or queued one. */
  #end: number | undefined

  constructor(maxBacklog: number) {
    this.#maxBacklog = maxBacklog
  }

  get end(): number | undefined {
    return this.#end
  }

  get waiting(): number {
    return this.#steps.reduce((sum, step) => sum + heightsOf(step), 0)
  }

  /** No effect after the first notification. */
  startAt(end: number): void {
    this.#end ??= end
  }

  announce(from: number, to: number): void {
    const begin = Math.max(from, this.#end ?? from)
    if (begin >= to) return
    const last = this.#steps.at(-1)
    if (last?.kind === 'blocks' && last.to === begin) this.#steps[this.#steps.length - 1] = { ...last, to }
    else this.#steps.push({ kind: 'blocks', from: begin, to })
    this.#end = to
    this.#leaveOutOldest()
  }

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

  /** Stays queued until `done`. */
  peek(maxHeights: number): FeedStep | undefined {
    const step = this.#steps[0]
    return step?.kind === 'blocks' ? { ...step, to: Math.min(step.to, step.from + maxHeights) } : step
  }

  /** Part of it may have been dropped meanwhile. */
  done(step: FeedStep): void {
    const [first, ...rest] = this.#steps
    if (step.kind === 'rollback') {
      if (first?.kind === 'rollback') this.#steps = rest
      return
    }
    if (first?.kind !== 'blocks' || first.from >= step.to) return
    this.#steps = step.to < first.to ? [{ ...first, from: step.to }, ...rest] : rest
  }

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
