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
 * Opens a reader of the chain.
 * @param rps calls per second and node; 0: no limit
 * @param burst calls at once after a pause
 */
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
export async function startEnrichment(
  { config, databaseUrl, metrics, lifecycle, ...context }: ServiceContext<Config>,
  network: Network,
  openReader: OpenChainReader,
): Promise<void> {
  const log = context.log.child({ service: 'asking' })
  const askers = runningWorkers(config, log)
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

  const farm = new EnrichmentFarm({
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
    const counts = await countEnrichment(pool, farm.held)
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
  log.warn('ENABLE_PRICE_FEED is set and PRICE_FEED_URL is not: there will be no prices')
  return []
}

/** Where the scripts are. */
export const scriptsFolder = join(import.meta.dirname, '../../../jobs/enrichment/cadence')

/**
 * The scripts of the workers that ask, as a network can run them.
 * @throws FatalError where a script imports a contract that is not known on the network
 */
export async function loadScripts(network: Network): Promise<(name: ScriptName) => string> {
  const scripts = new Map<ScriptName, string>()
  for (const name of scriptNames) {
    scripts.set(name, fillImports(await readFile(join(scriptsFolder, `${name}.cdc`), 'utf8'), network))
  }
  return (name) => scripts.get(name) ?? ''
}

/** `import "Name"`, the form in which scripts are kept, becomes `import Name from 0x…`. */
export function fillImports(source: string, network: Network): string {
  return source.replaceAll(/^import "(\w+)"$/gm, (_, name: string) => {
    const address = coreContractAddress(name, network)
    if (address === undefined) throw new FatalError('unknown-contract', `${name} is not known on ${network}`)
    return `import ${name} from 0x${address}`
  })
}

/** How long a source may take, and how much it may give. */
const timeoutMs = 15_000
const maxBytes = 16 * 1024 * 1024

/**
 * Reads JSON from a source outside.
 * @throws RetryableError where it does not answer, or not with JSON; the signal's reason
 */
export async function readJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    if (!response.ok) throw new Error(`it answered with HTTP status ${response.status}`)
    return JSON.parse(
      await responseText(response, maxBytes, () => new Error(`its answer is longer than ${maxBytes} bytes`)),
    ) as unknown
  } catch (error) {
    signal.throwIfAborted()
    throw new RetryableError(
      'source-unavailable',
      `the source did not give JSON: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  }
}
