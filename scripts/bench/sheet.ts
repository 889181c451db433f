import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

export interface FigureOptions {
  readonly limit?: number
  readonly limitName?: string
  readonly atLeast?: number
  readonly atMost?: number
}

export class Sheet {
  #targets = 0
  #missed = 0

  heading(text: string): void {
    print(`\n${text}`)
  }

  /** @throws if the measurement failed */
  figure(label: string, value: number, unit: string, options: FigureOptions = {}): void {
    const { limit, limitName, atLeast, atMost } = options
    if (![value, limit ?? 0].every(Number.isFinite)) throw new Error(`${label} was not measured: ${value}, ${limit}`)
    const target = atLeast ?? atMost
    const isReached = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost)
    if (target !== undefined) {
      this.#targets++
      if (!isReached) this.#missed++
    }
    const cells = [
      label.padEnd(56),
      `${numberText(value)} ${unit}`.padEnd(24),
      (limit === undefined ? '' : `${numberText(value / limit)} × ${limitName} (${numberText(limit)})`).padEnd(36),
      target === undefined
        ? ''
        : `target ${atLeast === undefined ? '≤' : '≥'} ${numberText(target)}: ${isReached ? 'reached' : 'NOT REACHED'}`,
    ]
    print(`  ${cells.join(' ')}`.trimEnd())
  }

  end(): void {
    if (this.#targets > 0) print(`\n${this.#targets - this.#missed} of ${this.#targets} targets reached.`)
  }
}

export function numberText(value: number): string {
  if (value === 0) return '0'
  return Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(3)
}

export async function printConditions(): Promise<void> {
  const [load = 0] = loadavg()
  const others = await othersShare(1000)
  print(
    [
      `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), ${numberText(totalmem() / 2 ** 30)} GiB,`,
      `Node ${process.versions.node}, load ${load.toFixed(2)}; database, nodes and clients on the same machine`,
    ].join(' '),
  )
  if (others > 0.1 || load > 0.75 * availableParallelism()) {
    const share = `${(others * 100).toFixed(0)} % of all cores`
    print(`WARNING: other programs use ${share}. Rates are too low; CPU time and ratios are affected less.`)
  }
}

async function othersShare(ms: number): Promise<number> {
  const before = processorTicks()
  await delay(ms)
  const after = processorTicks()
  const all = after.all - before.all
  return all === 0 ? 0 : (after.busy - before.busy) / all
}

/** Time stolen by the host counts as busy. */
function processorTicks(): { busy: number; all: number } {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  // user nice system idle iowait irq softirq steal
  const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const all = ticks.reduce((sum, value) => sum + value, 0)
  return { busy: all - (ticks[3] ?? 0) - (ticks[4] ?? 0), all }
}

/** NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
