import type { SettingValues } from '../platform/setting.ts'
import type { enrichmentSettings, farmSettings } from './settings.ts'
import type { databaseSettings } from '../platform/db/settings.ts'
import type pg from 'pg'
import { workers as allWorkers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import { Coordinator } from './coordinator/coordinator.ts'
import { planWorkers } from './coordinator/plan-leases.ts'
import { DrillWatch } from './drills.ts'
import { defaultRetryPolicy } from './leases/leases.ts'
import { OwnWorkers } from './own/own-workers.ts'
import type { OwnWorkerSource, ReadOwnWorkers } from './own/own-workers.ts'
import { planStages } from './overview/stage-plan.ts'
import { createWorkQueue } from './queues/create-work-queue.ts'
import { enqueueLeases } from './queues/work-queue.ts'
import type { WorkQueue } from './queues/work-queue.ts'
import { RangeReader } from './range-reader/range-reader.ts'
import { Upkeep, upkeepJobs } from './upkeep.ts'
import type { UpkeepDependencies } from './upkeep.ts'
import { FarmWorkers } from './worker-loop/farm-workers.ts'
import type { RunningWorker } from './worker-loop/farm-workers.ts'
import { chainIdToNetwork } from '../flow/network.ts'
import type { Network } from '../flow/network.ts'
import { connectionLimits, shortStatementLimits, createPool, logIdleErrors, query } from '../platform/db/pool.ts'
import { asDatabaseError } from '../platform/db/errors.ts'
import type { PoolOptions } from '../platform/db/pool.ts'
import { FatalError, RetryableError, asError } from '../platform/errors.ts'
import { retryWhile } from '../platform/retry.ts'
import { startEnrichment } from './enrichment/service.ts'
import type { OpenChainReader } from './enrichment/service.ts'
import type { ServiceContext } from '../platform/service.ts'
import type { WeighedBlock } from '../flow/decoded-block.ts'
import { FarmMetrics } from './metrics.ts'

export type FarmConfig = SettingValues<typeof farmSettings & typeof enrichmentSettings & typeof databaseSettings> & {
  readonly RAW_ONLY: boolean
  readonly ENABLE_FORWARD_INGESTER: boolean
  readonly ENABLE_HISTORY_INGESTER: boolean
  readonly LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: number
  readonly WEBHOOK_LOG_DAYS: number
}

/** Another process replaces a coordinator that lost its connection within 8 s. */
const coordinatorLink = { heartbeatMs: 2000, answerTimeoutMs: 4000 } as const

export interface FarmDependencies extends UpkeepDependencies {
  readonly openChainReader: OpenChainReader
  readonly writeBuiltInLabels: (pool: pg.Pool, network: Network) => Promise<void>
  readonly readOwnWorkers: ReadOwnWorkers
  /** Undefined without WORKERS_DIR. */
  readonly openOwnWorkers?: () => Promise<OwnWorkerSource>
}

export async function startFarm(
  context: ServiceContext<FarmConfig, WeighedBlock>,
  dependencies: FarmDependencies,
  workers: readonly Worker[] = allWorkers,
): Promise<void> {
  const { config, databaseUrl, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'farm' })
  const plans = planWorkers(config, workers)
  if (plans.length === 0) {
    log.info('No worker is enabled')
    return
  }
  startUpkeep(context, dependencies)
  const openPool = (max: number, applicationName: string, limits: PoolOptions): pg.Pool => {
    const pool = createPool(databaseUrl, { ...limits, max, applicationName, onIdleError: logIdleErrors(log) })
    lifecycle.onStop(`connections: ${applicationName}`, () => pool.end())
    return pool
  }
  const planned = new Set(plans.map(({ name }) => name))
  const running = runningWorkers(
    config,
    workers.filter(({ name }) => planned.has(name)),
  )
  // A range that waits for a connection keeps its lease and has not failed.
  const rangeLimits: PoolOptions = { ...connectionLimits, waitsForConnection: true }
  const pool = openPool(config.DB_MAX_OPEN_CONNS ?? connectionsFor(running), 'flowfarm farm', rangeLimits)
  // Leases lost in a server crash are allocated again, so their commits need not be durable.
  // Commits of rows flush them.
  const leaseLimits: PoolOptions = { ...shortStatementLimits, isDurable: false }
  const leasePool = openPool(3, 'flowfarm leases', { ...leaseLimits, waitsForConnection: true })
  const heartbeatPool = openPool(1, 'flowfarm heartbeats', leaseLimits)
  const roundsPool = openPool(3, 'flowfarm rounds', leaseLimits)
  const retryPolicy = { ...defaultRetryPolicy, baseMs: config.WORKER_RETRY_BASE_MS, capMs: config.WORKER_RETRY_CAP_MS }

  // A commit must not wait for a connection to read its next blocks.
  const reader = new RangeReader({
    pool: openPool(readConnections, 'flowfarm reads', rangeLimits),
    maxBytes: config.DERIVERS_CACHE_MIB * 1024 * 1024,
    readers: running.filter(({ worker }) => worker.derive !== undefined).map(({ worker }) => worker.name),
    onGivenUp: () => log.info('The history ingester no longer waits for the workers of this process: they are slower'),
    onRead: ({ from, to }, seconds) => {
      metrics.farmBlocksRead.inc(to - from)
      metrics.farmReadSeconds.observe(seconds)
    },
  })
  let farm: FarmWorkers | undefined
  shared.offerBlocks = (blocks, chainVersion) => {
    reader.offer(blocks, chainVersion)
    const heights = blocks.map(({ block }) => block.height)
    farm?.deriveHead({ from: Math.min(...heights), to: Math.max(...heights) + 1 })
  }
  // A farm that pauses between ranges of history, or does none, is slow on purpose.
  const isKeepingUp = config.ENABLE_HISTORY_DERIVERS && config.HISTORY_DERIVERS_SLEEP_MS === 0
  if (isKeepingUp) shared.historyCapacity = (signal) => reader.capacity(signal)
  lifecycle.onStop('decoded blocks', () => (shared.offerBlocks = shared.historyCapacity = undefined))

  // Ingestion continues meanwhile.
  const queue = await openWorkQueue({ ...context, log })
  lifecycle.onStop('queues', () => queue.close())

  const figures = new FarmMetrics({
    pool: roundsPool,
    metrics,
    log,
    stages: async () => {
      const all = [...workers, ...(await dependencies.readOwnWorkers(roundsPool))]
      return planStages(config, all).filter((stage) => stage.isEnabled)
    },
  })
  lifecycle.onStop('farm metrics', () => figures.stop())
  const coordinator = new Coordinator({
    databaseUrl,
    pool: roundsPool,
    log,
    signal: lifecycle.signal,
    connection: coordinatorLink,
    workers: () => plans,
    enqueue: (leases) => enqueueLeases(queue, leases),
    isLiveEnabled: config.ENABLE_LIVE_DERIVERS,
    isHistoryEnabled: config.ENABLE_HISTORY_DERIVERS,
    historySleepMs: config.HISTORY_DERIVERS_SLEEP_MS,
    historyBatchMs: config.HISTORY_DERIVERS_BATCH_MS,
    liveBlocks: config.LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS,
    retryPolicy,
    onRound: (report) => figures.round(report),
  })
  const coordinating = coordinator.run()
  coordinating.catch((error: unknown) => void lifecycle.fail(error))
  lifecycle.onStop('coordinator', async () => {
    await Promise.allSettled([coordinating])
  })

  const starting = (async () => {
    const network = await knownNetwork(pool, lifecycle.signal)
    await startEnrichment(context, network, dependencies.openChainReader)
    const writing = { signal: lifecycle.signal, baseMs: 50, maxMs: 500 }
    await retryWhile(() => dependencies.writeBuiltInLabels(pool, network), writing)
    const drills = await DrillWatch.start({ databaseUrl, pool: roundsPool, log, signal: lifecycle.signal })
    lifecycle.onStop('fault drills', () => drills.stop())
    farm = new FarmWorkers({
      workers,
      pool,
      leasePool,
      heartbeatPool,
      queue,
      reader,
      log,
      metrics,
      retryPolicy,
      network: () => network,
      faultFor: (worker, range) => drills.faultFor(worker, range),
      headBlocks: config.ENABLE_LIVE_DERIVERS ? Math.min(...plans.map(({ liveChunk }) => liveChunk)) : 0,
    })
    const workersHere = farm
    lifecycle.signal.throwIfAborted()
    lifecycle.onStop('workers', () => workersHere.stop())
    await workersHere.start(running)
    log.info({ workers: plans.map(({ name }) => name), queues: queue.backend }, 'Farm started')
    if (dependencies.openOwnWorkers === undefined) return
    const source = await dependencies.openOwnWorkers()
    // Slow own workers must not take connections of the others.
    const own = new OwnWorkers({
      source,
      databaseUrl,
      pool: openPool(4, 'flowfarm own workers', rangeLimits),
      leasePool: openPool(2, 'flowfarm own leases', { ...leaseLimits, waitsForConnection: true }),
      heartbeatPool: openPool(1, 'flowfarm own heartbeats', leaseLimits),
      log,
      metrics,
      retryPolicy,
      faultFor: (worker, range) => drills.faultFor(worker, range),
      liveBlocks: config.ENABLE_LIVE_DERIVERS
        ? Math.max(config.LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS, config.LIVE_DERIVERS_CHUNK)
        : 0,
      liveChunk: config.LIVE_DERIVERS_CHUNK,
      isHistoryEnabled: config.ENABLE_HISTORY_DERIVERS,
      historySleepMs: config.HISTORY_DERIVERS_SLEEP_MS,
      historyBatchMs: config.HISTORY_DERIVERS_BATCH_MS,
    })
    lifecycle.onStop('own workers', () => own.stop())
    await own.start()
  })()
  starting.catch((error: unknown) => {
    if (!lifecycle.signal.aborted) void lifecycle.fail(error)
  })
  // The parts that it has started are stopped next.
  lifecycle.onStop('worker startup', async () => {
    await Promise.allSettled([starting])
  })
}

const readConnections = 4

/**
 * One for each range of history, the head, live jobs and partitions, within the limits of a server
 * with 100 connections.
 */
function connectionsFor(running: readonly RunningWorker[]): number {
  return Math.min(30, 3 + Math.max(...running.map(({ concurrency }) => concurrency)))
}

function runningWorkers(config: FarmConfig, workers: readonly Worker[]): RunningWorker[] {
  const settings = new Map<string, unknown>(Object.entries(config))
  return workers.map((worker) => {
    const concurrency = settings.get(`${worker.name.toUpperCase()}_CONCURRENCY`)
    return { worker, concurrency: typeof concurrency === 'number' ? concurrency : 1 }
  })
}

/** The chain determines the addresses of core contracts. */
function knownNetwork(pool: pg.Pool, signal: AbortSignal): Promise<Network> {
  return retryWhile(
    async () => {
      const { rows } = await query<{ chain_id: string }>(pool, 'select chain_id from app.chain')
      const chainId = rows[0]?.chain_id
      if (chainId === undefined)
        throw new RetryableError(
          'chain-unknown',
          'The chain is unknown: no ingester has connected to an access node yet',
        )
      const network = chainIdToNetwork(chainId)
      if (network === undefined)
        throw new FatalError(
          'unknown-chain',
          `Unsupported chain ${chainId} in this database: its core contracts are unknown.`,
        )
      return network
    },
    { signal, baseMs: 50, maxMs: 500 },
  )
}

/** Equals the limit for a database, ms. */
const startTimeoutMs = 5000

/** @throws RetryableError `queue-unavailable`; FatalError if the store is unusable */
function openWorkQueue({
  config,
  databaseUrl,
  log,
  lifecycle: { signal },
}: ServiceContext<FarmConfig, WeighedBlock>): Promise<WorkQueue> {
  const giveUpAt = performance.now() + startTimeoutMs
  return retryWhile(() => createWorkQueue({ databaseUrl, redisUrl: config.REDIS_URL, log }), {
    signal,
    maxMs: 1000,
    isRetryable: (error) => error instanceof RetryableError && performance.now() < giveUpAt,
    onRetry: (error, attempt) => {
      if (attempt === 1) log.warn({ reason: asError(error).message }, 'Could not reach the queue store: retrying')
    },
  })
}

/** A failure is only logged. */
function startUpkeep(
  { config, databaseUrl, lifecycle, metrics, ...context }: ServiceContext<FarmConfig, WeighedBlock>,
  dependencies: UpkeepDependencies,
): void {
  const log = context.log.child({ service: 'upkeep' })
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: 3,
    applicationName: 'flowfarm upkeep',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('database connections of upkeep', () => pool.end())
  const start = async (): Promise<Upkeep> => {
    const upkeep = new Upkeep({
      pool,
      jobs: upkeepJobs(pool, allWorkers, { ...dependencies, webhookLogDays: config.WEBHOOK_LOG_DAYS }),
      log,
      metrics,
    })
    try {
      await upkeep.start(lifecycle.signal)
      return upkeep
    } catch (error) {
      await upkeep.stop()
      throw asDatabaseError(error)
    }
  }
  const starting = retryWhile(start, {
    signal: lifecycle.signal,
    baseMs: 1000,
    maxMs: 60_000,
    isRetryable: (error) => error instanceof RetryableError,
  })
  starting.then(
    () => log.debug('Upkeep scheduled'),
    (error: unknown) =>
      lifecycle.signal.aborted ||
      log.error(
        { err: asError(error) },
        'Could not start upkeep: partitions are not created ahead and old rows are not deleted',
      ),
  )
  const stop = async (): Promise<void> => {
    const [started] = await Promise.allSettled([starting])
    if (started.status === 'fulfilled') await started.value.stop()
  }
  // pg-boss takes a moment to stop; other parts need not wait for it.
  const stopped = new Promise<void>((resolve) =>
    lifecycle.signal.addEventListener('abort', () => resolve(stop()), { once: true }),
  )
  lifecycle.onStop('upkeep', () => stopped)
}
