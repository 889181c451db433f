import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'

/** The kernel updates pressure totals every two seconds, ms. */
const pressurePeriodMs = 2000

/**
 * Checks durations on a shared machine. Time during which any process waited for a CPU or a disk
 * (Linux pressure stall information) does not count, so a limit is strict on an idle machine and
 * does not fail on a busy one. Without that information all time counts.
 */
export class Stopwatch {
  readonly #startedAt = performance.now()
  readonly #before = stalledMs()

  /** Fails if more than `maxMs` have passed since the start, without stalls. */
  async expectBelow(maxMs: number, what = 'elapsed time without stalls, ms'): Promise<void> {
    const wallMs = performance.now() - this.#startedAt
    if (wallMs < maxMs) return
    await delay(pressurePeriodMs + 100)
    const stalled = (await stalledMs()) - (await this.#before)
    expect(wallMs - stalled, what).to.be.below(maxMs)
  }

  /** Whether more than `maxMs` have passed since the start, without stalls: for loops that give up. */
  async isOver(maxMs: number): Promise<boolean> {
    const wallMs = performance.now() - this.#startedAt
    return wallMs > maxMs && wallMs - ((await stalledMs()) - (await this.#before)) > maxMs + pressurePeriodMs
  }
}

/** Since boot. */
async function stalledMs(): Promise<number> {
  const totals = await Promise.all(
    ['cpu', 'io'].map(async (resource) => {
      const text = await readFile(`/proc/pressure/${resource}`, 'utf8').catch(() => '')
      return Number(/^some .*total=(\d+)/m.exec(text)?.[1] ?? 0) / 1000
    }),
  )
  return totals.reduce((sum, ms) => sum + ms, 0)
}
