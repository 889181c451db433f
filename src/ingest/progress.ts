import type { CommittedBatch } from './batch-writer.ts'

export interface ProgressLine {
  readonly ingester: string
  readonly done: number
  readonly total: number
  readonly blocksPerSecond: number
  readonly eventsPerSecond: number
  readonly behind: number
  readonly etaSeconds: number | undefined
  readonly height: number | undefined
}

interface State {
  isForward: boolean
  from: number
  total: number | undefined
  done: number
  height: number | undefined
  samples: { at: number; blocks: number; events: number }[]
}

const windowMs = 10_000

export class Progress {
  readonly #states = new Map<string, State>()
  readonly #headHeight: () => number | undefined

  constructor(headHeight: () => number | undefined) {
    this.#headHeight = headHeight
  }

  /**
   * `from` is the lowest height, `position` the first to fetch, `total` the number of blocks if
   * bounded.
   */
  begin(ingester: string, segment: { from: number; position: number; total?: number; isForward: boolean }): void {
    const below = segment.position - segment.from
    const done = segment.isForward ? below : (segment.total ?? 0) - (below + 1)
    this.#states.set(ingester, {
      isForward: segment.isForward,
      from: segment.from,
      total: segment.total,
      done: Math.max(0, done),
      height: undefined,
      samples: this.#states.get(ingester)?.samples ?? [],
    })
  }

  committed(ingester: string, batch: CommittedBatch): void {
    const state = this.#states.get(ingester)
    if (state === undefined) return
    state.done += batch.blockCount
    state.height = state.isForward ? batch.to - 1 : batch.from
    const now = performance.now()
    state.samples.push({ at: now, blocks: batch.blockCount, events: batch.eventCount })
    dropOld(state.samples, now)
  }

  finish(ingester: string): void {
    this.#states.delete(ingester)
  }

  lines(): ProgressLine[] {
    const now = performance.now()
    return [...this.#states].map(([ingester, state]) => {
      dropOld(state.samples, now)
      const seconds = Math.max(1, Math.min(windowMs, now - (state.samples[0]?.at ?? now)) / 1000)
      const blocks = state.samples.reduce((sum, s) => sum + s.blocks, 0)
      const events = state.samples.reduce((sum, s) => sum + s.events, 0)
      const head = this.#headHeight()
      const total = state.total ?? Math.max(state.done, (head ?? state.from - 1) - state.from + 1)
      const behind = Math.max(0, total - state.done)
      const blocksPerSecond = blocks / seconds
      return {
        ingester,
        done: state.done,
        total,
        behind,
        height: state.height,
        blocksPerSecond: tenths(blocksPerSecond),
        eventsPerSecond: Math.round(events / seconds),
        etaSeconds: behind === 0 ? 0 : blocksPerSecond > 0 ? Math.ceil(behind / blocksPerSecond) : undefined,
      }
    })
  }
}

/**
 * `main_ingester 1,200 of 5,000 (24.0 %), 812 blocks/s, 75,600 events/s, 3,800 behind, 5 s left`
 */
export function progressText(line: ProgressLine): string {
  return (
    `${line.ingester} ${grouped(line.done)} of ${grouped(line.total)} (${percent(line)}), ` +
    `${pace(line.blocksPerSecond)} blocks/s, ${grouped(line.eventsPerSecond)} events/s, ` +
    `${grouped(line.behind)} behind, ${timeLeft(line)}`
  )
}

/**
 * Most important first, since it may be truncated: `history 24.0 %, 3 h 20 min left, 812 blocks/s,
 * …`
 */
export function statusText(line: ProgressLine): string {
  return [
    `${line.ingester.replace('_ingester', '').padEnd(8)} ${percent(line)}`,
    timeLeft(line),
    `${pace(line.blocksPerSecond)} blocks/s`,
    `${grouped(line.eventsPerSecond)} events/s`,
    `${grouped(line.behind)} behind`,
    ...(line.height === undefined ? [] : [`now at ${grouped(line.height)}`]),
  ].join(', ')
}

function dropOld(samples: State['samples'], now: number): void {
  while (samples[0] !== undefined && now - samples[0].at > windowMs) samples.shift()
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

/** As `toLocaleString`, which costs tens of milliseconds of CPU at first. */
function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}

function pace(blocksPerSecond: number): string {
  return blocksPerSecond < 10 ? blocksPerSecond.toFixed(1) : grouped(blocksPerSecond)
}

/** Rounded down: 100.0 % means complete. */
function percent({ done, total }: ProgressLine): string {
  const tenths = total === 0 ? 1000 : Math.floor((1000 * done) / total)
  return `${(tenths / 10).toFixed(1)} %`
}

function timeLeft({ behind, etaSeconds }: ProgressLine): string {
  if (etaSeconds === undefined) return 'waiting'
  return behind === 0 ? 'at the head' : `${durationText(etaSeconds)} left`
}

/** `45 s`, `12 min`, `3 h 20 min`, `5 d 2 h`. */
export function durationText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}
