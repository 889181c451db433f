import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'

/** What the measured process says of itself at its end. */
export interface ProgramUsage {
  readonly cpuSeconds: number
  readonly peakMiB: number
  /** How late the event loop was at its timers, ms. */
  readonly delayP99Ms: number
  readonly delayMaxMs: number
  readonly metrics: readonly MetricObjectWithValues<MetricValue<string>>[]
}

export interface BenchProgram {
  readonly pid: number
  /** Stops it. */
  end(): Promise<ProgramUsage>
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>
}

/** Starts `program.ts` in a process of its own, where nothing of the benchmark takes the turns of its event loop. */
export async function startProgram(
  services: 'ingest,farm' | 'farm',
  idleWorkers: number,
  variables: Record<string, string>,
): Promise<BenchProgram> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'program.ts'), services, String(idleWorkers)], {
    env: { LOG_FORMAT: 'json', LOG_LEVEL: 'warn', ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async (): Promise<string> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`the measured program ended with ${child.exitCode}`)
    return value
  }
  await nextLine()
  return {
    pid: child.pid ?? 0,
    end: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const usage = JSON.parse(await nextLine()) as ProgramUsage
      await exited
      return usage
    },
    kill: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** The sum of all values of a metric, over all labels but `worker`, or over those of one worker. */
export function metricSum(usage: ProgramUsage, name: string, worker?: string): number {
  let sum = 0
  for (const metric of usage.metrics) {
    for (const { metricName = metric.name, value, labels } of metric.values as {
      metricName?: string
      value: number
      labels: Record<string, unknown>
    }[]) {
      if (metricName === name && (worker === undefined || labels['worker'] === worker)) sum += value
    }
  }
  return sum
}
