import { allEnrichmentWorkers } from '../../../jobs/enrichment/index.ts'
import type { EnrichmentWorker, ScriptName } from '../../../jobs/enrichment/enrichment-worker.ts'
import { priceFeedWorker } from '../../../jobs/enrichment/price-feed-worker.ts'
import type { ChainReader } from '../../flow/chain-reader.ts'
import type { SettingValues } from '../../platform/setting.ts'
import type { farmSettings, enrichmentSettings } from '../settings.ts'
import { asError, FatalError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { Network } from '../../flow/network.ts'
import { connectionLimits, createPool, logIdleErrors } from '../../platform/db/pool.ts'
import { EnrichmentFarm, countEnrichment } from './enrichment-workers.ts'
import type { RunningEnrichmentWorker } from './enrichment-workers.ts'
import type { ServiceContext } from '../../platform/service.ts'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scriptNames } from '../../../jobs/enrichment/enrichment-worker.ts'
import { coreContractAddress } from '../../flow/core-contracts.ts'
import { responseText } from '../../platform/outbound/response-text.ts'

type Config = SettingValues<typeof farmSettings & typeof enrichmentSettings> & { readonly RAW_ONLY: boolean }

/**
 * @param rps calls per second and node; 0: no limit
 *
 * @param burst calls at once after a pause
 */
export type OpenChainReader = (limits: {
  readonly rps: number
  readonly burst: number | undefined
  readonly log: Logger
}) => ChainReader & { close(): Promise<void> }

/** The usual limit of public nodes for scripts, per second and node. */
const defaultRps = 5

const countEveryMs = 10_000

export async function startEnrichment(
  { config, databaseUrl, metrics, lifecycle, ...context }: ServiceContext<Config>,
  network: Network,
  openReader: OpenChainReader,
): Promise<void> {
  const log = context.log.child({ service: 'enrichment' })
  const enabled = runningWorkers(config, log)
  if (enabled.length === 0) return
  const script = await loadScripts(network)
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: 3,
    applicationName: 'flowfarm enrichment',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('database connections of enrichment', () => pool.end())
  const reader = openReader({ rps: config.CHAIN_SCRIPT_RPS ?? defaultRps, burst: config.CHAIN_SCRIPT_BURST, log })
  lifecycle.onStop('access nodes of enrichment', () => reader.close())

  const farm = new EnrichmentFarm({
    databaseUrl,
    pool,
    running: enabled,
    context: { reader, network, script, readJson },
    log,
    metrics,
    signal: lifecycle.signal,
  })
  const running = farm.run()
  running.catch((error: unknown) => void lifecycle.fail(error))
  lifecycle.onStop('enrichment workers', async () => {
    await Promise.allSettled([running])
  })

  const count = async (): Promise<void> => {
    const counts = await countEnrichment(pool, farm.held)
    for (const gauge of [metrics.enrichmentDue, metrics.enrichmentFailed]) gauge.reset()
    for (const { worker, table, due, failed } of counts) {
      metrics.enrichmentDue.set({ worker, table }, due)
      metrics.enrichmentFailed.set({ worker, table }, failed)
    }
  }
  let counting = Promise.resolve()
  const timer = setInterval(() => {
    counting = count().catch((error: unknown) => {
      log.warn({ err: asError(error) }, 'Could not count due enrichment keys: the metrics keep their last values')
    })
  }, countEveryMs)
  timer.unref()
  // A running count needs the database, which is stopped after this.
  lifecycle.onStop('enrichment metrics', () => {
    clearInterval(timer)
    return counting
  })
}

function runningWorkers(config: Config, log: Logger): RunningEnrichmentWorker[] {
  if (config.RAW_ONLY) return []
  const settings = new Map<string, unknown>(Object.entries(config))
  const number = (name: string, usual: number): number => {
    const value = settings.get(name)
    return typeof value === 'number' ? value : usual
  }
  const enabled = allEnrichmentWorkers.filter(({ name }) => settings.get(`ENABLE_${name.toUpperCase()}`) !== false)
  return [...enabled, ...priceFeed(config, log)].map((worker) => ({
    worker,
    concurrency: number(`${worker.name.toUpperCase()}_CONCURRENCY`, 1),
    range: number(`${worker.name.toUpperCase()}_RANGE`, 1000),
  }))
}

function priceFeed(config: Config, log: Logger): EnrichmentWorker[] {
  if (!config.ENABLE_PRICE_FEED) return []
  if (config.PRICE_FEED_URL !== undefined)
    return [priceFeedWorker({ url: config.PRICE_FEED_URL, refreshMs: config.PRICE_REFRESH_MIN * 60_000 })]
  log.warn('ENABLE_PRICE_FEED is set, but PRICE_FEED_URL is not: prices are disabled')
  return []
}

export const scriptsFolder = join(import.meta.dirname, '../../../jobs/enrichment/cadence')

/** @throws FatalError if a script imports a contract that is unknown on the network */
export async function loadScripts(network: Network): Promise<(name: ScriptName) => string> {
  const scripts = new Map<ScriptName, string>()
  for (const name of scriptNames) {
    scripts.set(name, fillImports(await readFile(join(scriptsFolder, `${name}.cdc`), 'utf8'), network))
  }
  return (name) => scripts.get(name) ?? ''
}

export function fillImports(source: string, network: Network): string {
  return source.replaceAll(/^import "(\w+)"$/gm, (_, name: string) => {
    const address = coreContractAddress(name, network)
    if (address === undefined) throw new FatalError('unknown-contract', `Unknown contract ${name} on ${network}`)
    return `import ${name} from 0x${address}`
  })
}

const timeoutMs = 15_000
const maxBytes = 16 * 1024 * 1024

/** @throws RetryableError without a valid JSON response; the signal's reason */
export async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (!response.ok) throw new Error(`HTTP status ${response.status}`)
    return JSON.parse(
      await responseText(response, maxBytes, () => new Error(`response exceeds ${maxBytes} bytes`)),
    ) as unknown
  } catch (error) {
    signal.throwIfAborted()
    throw new RetryableError(
      'source-unavailable',
      `Could not read JSON from the source: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}
