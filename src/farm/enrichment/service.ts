import { askingWorkers } from '../../../jobs/enrichment/index.ts'
import type { AskingWorker } from '../../../jobs/enrichment/asking-worker.ts'
import { priceFeedWorker } from '../../../jobs/enrichment/price-feed-worker.ts'
import type { ChainReader } from '../../flow/chain-reader.ts'
import type { SettingValues } from '../../platform/setting.ts'
import type { farmSettings } from '../settings.ts'
import type { askingSettings } from './settings.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { Network } from '../../flow/network.ts'
import { connectionLimits } from '../../platform/db/connection-limits.ts'
import { createPool, logIdleErrors } from '../../platform/db/pool.ts'
import { AskingFarm, countAsking } from './enrichment-workers.ts'
import type { RunningAsker } from './enrichment-workers.ts'
import { loadScripts, readJson } from './worker-inputs.ts'
import type { ServiceContext } from '../../platform/service.ts'

type Config = SettingValues<typeof farmSettings & typeof askingSettings> & { readonly RAW_ONLY: boolean }

/** Opens a reader of the chain. @param rps calls per second and node; 0: no limit @param burst calls at once after a pause */
export type OpenChainReader = (limits: {
  readonly rps: number
  readonly burst: number | undefined
  readonly log: Logger
}) => ChainReader & { close(): Promise<void> }

/** Calls per second and node where nothing else is set: what public nodes allow of scripts. */
const defaultRps = 5

/** How often it is counted what is due. */
const countEveryMs = 10_000

/** Starts the workers that ask, those that are enabled. Nothing waits for them. */
export async function startAsking(
  { config, databaseUrl, metrics, lifecycle, ...context }: ServiceContext<Config>,
  network: Network,
  openReader: OpenChainReader,
): Promise<void> {
  const log = context.log.child({ service: 'asking' })
  const askers = runningAskers(config, log)
  if (askers.length === 0) return
  const script = await loadScripts(network)
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: 3,
    applicationName: 'flowfarm asking',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections: flowfarm asking', () => pool.end())
  const reader = openReader({ rps: config.CHAIN_SCRIPT_RPS ?? defaultRps, burst: config.CHAIN_SCRIPT_BURST, log })
  lifecycle.onStop('access nodes that are asked', () => reader.close())

  const farm = new AskingFarm({
    databaseUrl,
    pool,
    askers,
    context: { reader, network, script, readJson },
    log,
    metrics,
    signal: lifecycle.signal,
  })
  const running = farm.run()
  running.catch((error: unknown) => void lifecycle.fail(error))
  lifecycle.onStop('workers that ask', async () => {
    await Promise.allSettled([running])
  })

  const count = async (): Promise<void> => {
    const counts = await countAsking(pool, farm.held)
    for (const gauge of [metrics.askingDue, metrics.askingFailed]) gauge.reset()
    for (const { worker, table, due, failed } of counts) {
      metrics.askingDue.set({ worker, table }, due)
      metrics.askingFailed.set({ worker, table }, failed)
    }
  }
  let counting = Promise.resolve()
  const timer = setInterval(() => {
    counting = count().catch((error: unknown) => {
      log.warn({ err: asError(error) }, 'what is to be asked could not be counted, the figures stay as they were')
    })
  }, countEveryMs)
  timer.unref()
  // A count under way needs the database, which is stopped after this.
  lifecycle.onStop('figures of the asking', () => {
    clearInterval(timer)
    return counting
  })
}

function runningAskers(config: Config, log: Logger): RunningAsker[] {
  if (config.RAW_ONLY) return []
  const settings = new Map<string, unknown>(Object.entries(config))
  const number = (name: string, usual: number): number => {
    const value = settings.get(name)
    return typeof value === 'number' ? value : usual
  }
  const enabled = askingWorkers.filter(({ name }) => settings.get(`ENABLE_${name.toUpperCase()}`) !== false)
  return [...enabled, ...priceFeed(config, log)].map((worker) => ({
    worker,
    concurrency: number(`${worker.name.toUpperCase()}_CONCURRENCY`, 1),
    range: number(`${worker.name.toUpperCase()}_RANGE`, 1000),
  }))
}

function priceFeed(config: Config, log: Logger): AskingWorker[] {
  if (!config.ENABLE_PRICE_FEED) return []
  if (config.PRICE_FEED_URL !== undefined)
    return [priceFeedWorker({ url: config.PRICE_FEED_URL, refreshMs: config.PRICE_REFRESH_MIN * 60_000 })]
  log.warn('ENABLE_PRICE_FEED is set and PRICE_FEED_URL is not: there will be no prices')
  return []
}
