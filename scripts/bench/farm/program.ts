import { monitorEventLoopDelay } from 'node:perf_hooks'
import { workers } from '../../../jobs/index.ts'
import { readConfig } from '../../../src/config.ts'
import { Lifecycle } from '../../../src/platform/lifecycle.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { Terminal } from '../../../src/platform/terminal.ts'
import { limitYoungGeneration } from '../../../src/platform/young-generation.ts'
import { createPool } from '../../../src/platform/db/pool.ts'
import { startFarm } from '../../../src/services/farm.ts'
import { startIngest } from '../../../src/services/ingest.ts'
import type { WeighedBlock } from '../../../src/flow/decoded-block.ts'
import { Shared } from '../../../src/platform/service.ts'
import { cpuSeconds, peakMemoryMiB } from '../process-usage.ts'
import { idleWorkers } from './idle-workers.ts'
import type { ProgramUsage } from './start-program.ts'

/**
 * Ingest and farm, or the farm alone, put together as `src/main.ts` does it, for the benchmark of the farm: with workers
 * added that derive nothing, and with an account of itself, which it prints when it is told to stop.
 *
 *     node program.ts <ingest,farm | farm> <number of idle workers>
 */

const [services = '', idle = '0'] = process.argv.slice(2)
const config = readConfig()
if (config.DB_URL === undefined) throw new Error('DB_URL is not set')
const terminal = new Terminal(process.stderr)
const log = await createLogger(config, terminal)
const lifecycle = new Lifecycle(log)
const metrics = new Metrics()
lifecycle.onStop('young generation', limitYoungGeneration())
const pool = createPool(config.DB_URL, { max: 4 })
lifecycle.onStop('database connections', () => pool.end())
const shared = new Shared<WeighedBlock>()
shared.isFarmHere = true
const context = { config, databaseUrl: config.DB_URL, pool, log, metrics, lifecycle, terminal, shared }
const delay = monitorEventLoopDelay({ resolution: 5 })
const cpuBefore = cpuSeconds(process.pid)
if (services.includes('ingest')) await startIngest(context)
await startFarm(context, [...workers, ...idleWorkers(Number(idle))])
delay.enable()
process.stdout.write('started\n')

async function end(): Promise<void> {
  delay.disable()
  const usage: ProgramUsage = {
    cpuSeconds: cpuSeconds(process.pid) - cpuBefore,
    peakMiB: peakMemoryMiB(process.pid),
    // What the timer itself is late by is the resolution.
    delayP99Ms: delay.percentile(99) / 1e6 - 5,
    delayMaxMs: delay.max / 1e6 - 5,
    metrics: await metrics.registry.getMetricsAsJSON(),
  }
  await lifecycle.stop('measured')
  process.stdout.write(`${JSON.stringify(usage)}\n`)
  process.exit(lifecycle.failure === undefined ? 0 : 1)
}

process.on('SIGTERM', () => void end())
