import type { SettingValues } from '../platform/setting.ts'
import type { enrichmentSettings, farmSettings } from './settings.ts'
import type { databaseSettings } from '../platform/db/settings.ts'
import type pg from 'pg'
import { workers as allWorkers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import { Coordinator } from './coordinator/coordinator.ts'
import type { OfferedLease } from './coordinator/hand-over.ts'
import { planWorkers } from './coordinator/plan-leases.ts'
import { DrillWatch } from './drills.ts'
import { defaultRetryPolicy } from './leases/leases.ts'
import { planStages } from './overview/stage-plan.ts'
import { createWorkQueue } from './queues/create-work-queue.ts'
import { packLeases } from './queues/work-queue.ts'
import type { WorkQueue } from './queues/work-queue.ts'
import { RangeReader } from './range-reader/range-reader.ts'
import { Upkeep, upkeepJobs } from './upkeep.ts'
import type { UpkeepNeighbours } from './upkeep.ts'
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

/**
 * A process that coordinates and is cut off loses its lock 6 s after its last sign of life, so that another one
 * gives out what it had within the 8 s of any other process.
 */
const coordinatorLink = { heartbeatMs: 2000, answerTimeoutMs: 4000 } as const

/** Parts of other rooms that the farm's process runs. */
export interface FarmNeighbours extends UpkeepNeighbours {
  readonly openChainReader: OpenChainReader
  readonly writeBuiltInLabels: (pool: pg.Pool, network: Network) => Promise<void>
}

/** Starts the coordinator and all workers that are enabled. */
export async function startFarm(
  context: ServiceContext<FarmConfig, WeighedBlock>,
  neighbours: FarmNeighbours,
  workers: readonly Worker[] = allWorkers,
): Promise<void> {
  const { config, databaseUrl, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'farm' })
  const plans = planWorkers(config, workers)
  if (plans.length === 0) {
    log.info('no worker is enabled')
    return
  }
  startUpkeep(context, neighbours)
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
  // A range that waits for a connection keeps its lease, and has not failed.
  const rangeLimits: PoolOptions = { ...connectionLimits, isPatient: true }
  const pool = openPool(config.DB_MAX_OPEN_CONNS ?? connectionsFor(running), 'flowfarm farm', rangeLimits)
  // What is lost of leases in a crash of the server is given out again; rows take with them to the disk what they
  // rest on.
  const leaseLimits: PoolOptions = { ...shortStatementLimits, isDurable: false }
  const leasePool = openPool(3, 'flowfarm leases', { ...leaseLimits, isPatient: true })
  const heartbeatPool = openPool(1, 'flowfarm heartbeats', leaseLimits)
  // For rounds, figures and drills.
  const roundsPool = openPool(3, 'flowfarm rounds', leaseLimits)
  const retryPolicy = { ...defaultRetryPolicy, baseMs: config.WORKER_RETRY_BASE_MS, capMs: config.WORKER_RETRY_CAP_MS }

  const reader = new RangeReader({
    pool,
    maxBytes: config.DERIVERS_CACHE_MIB * 1024 * 1024,
    readers: running.filter(({ worker }) => worker.derive !== undefined).map(({ worker }) => worker.name),
    onGivenUp: () => log.info('history is stored faster than it is derived here, and goes on without waiting for that'),
    onRead: ({ from, to }, seconds) => {
      metrics.farmBlocksRead.inc(to - from)
      metrics.farmReadSeconds.observe(seconds)
    },
  })
  shared.offerBlocks = (blocks, chainVersion) => reader.offer(blocks, chainVersion)
  // A farm that rests between ranges of history, or does none, is slower than ingest because somebody wants it to be.
  const isKeepingUp = config.ENABLE_HISTORY_DERIVERS && config.HISTORY_DERIVERS_SLEEP_MS === 0
  if (isKeepingUp) shared.historyRoom = (signal) => reader.room(signal)
  lifecycle.onStop('decoded blocks', () => (shared.offerBlocks = shared.historyRoom = undefined))

  // Ingest stores meanwhile, and what it stores is kept.
  const queue = await openWorkQueue({ ...context, log })
  lifecycle.onStop('queues', () => queue.close())

  const figures = new FarmMetrics({
    pool: roundsPool,
    metrics,
    log,
    stages: planStages(config, workers).filter((stage) => stage.isEnabled),
  })
  lifecycle.onStop('figures of the farm', () => figures.stop())
  const coordinator = new Coordinator({
    databaseUrl,
    pool: roundsPool,
    log,
    signal: lifecycle.signal,
    connection: coordinatorLink,
    workers: () => plans,
    enqueue: (worker, leases) => enqueue(queue, worker, leases),
    isLiveEnabled: config.ENABLE_LIVE_DERIVERS,
    isHistoryEnabled: config.ENABLE_HISTORY_DERIVERS,
    historySleepMs: config.HISTORY_DERIVERS_SLEEP_MS,
    historyGatherMs: config.HISTORY_DERIVERS_GATHER_MS,
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
    await startEnrichment(context, network, neighbours.openChainReader)
    const writing = { signal: lifecycle.signal, baseMs: 50, maxMs: 500 }
    await retryWhile(() => neighbours.writeBuiltInLabels(pool, network), writing)
    const drills = await DrillWatch.start({ databaseUrl, pool: roundsPool, log, signal: lifecycle.signal })
    lifecycle.onStop('fault drills', () => drills.stop())
    const farm = new FarmWorkers({
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
    })
    lifecycle.signal.throwIfAborted()
    lifecycle.onStop('workers', () => farm.stop())
    await farm.start(running)
    log.info({ workers: plans.map(({ name }) => name), queues: queue.backend }, 'the farm works')
  })()
  starting.catch((error: unknown) => {
    if (!lifecycle.signal.aborted) void lifecycle.fail(error)
  })
  // It leans on all of the above, and what it has started by then is stopped next.
  lifecycle.onStop('start of the workers', async () => {
    await Promise.allSettled([starting])
  })
}

/** For as many ranges as are worked on at the same time, as far as a server with 100 connections bears it. */
function connectionsFor(running: readonly RunningWorker[]): number {
  return Math.min(30, Math.max(12, 4 + running.reduce((sum, { concurrency }) => sum + concurrency, 0)))
}

function runningWorkers(config: FarmConfig, workers: readonly Worker[]): RunningWorker[] {
  const settings = new Map<string, unknown>(Object.entries(config))
  return workers.map((worker) => {
    const concurrency = settings.get(`${worker.name.toUpperCase()}_CONCURRENCY`)
    return { worker, concurrency: typeof concurrency === 'number' ? concurrency : 1 }
  })
}

async function enqueue(queue: WorkQueue, worker: string, leases: readonly OfferedLease[]): Promise<void> {
  await queue.add(
    worker,
    packLeases(
      worker,
      leases.filter(({ isLive }) => isLive),
    ),
    { isUrgent: true },
  )
  await queue.add(
    worker,
    packLeases(
      worker,
      leases.filter(({ isLive }) => !isLive),
    ),
  )
}

/** Waits until an ingester has written down which chain it follows: core contracts have other addresses on each. */
function knownNetwork(pool: pg.Pool, signal: AbortSignal): Promise<Network> {
  return retryWhile(
    async () => {
      const { rows } = await query<{ chain_id: string }>(pool, 'select chain_id from app.chain')
      const chainId = rows[0]?.chain_id
      if (chainId === undefined) throw new RetryableError('chain-unknown', 'no ingester has met an access node yet')
      const network = chainIdToNetwork(chainId)
      if (network === undefined)
        throw new FatalError(
          'unknown-chain',
          `This database holds the chain ${chainId}, whose core contracts flowfarm does not know.`,
        )
      return network
    },
    { signal, baseMs: 50, maxMs: 500 },
  )
}

/** How long a Redis that cannot be reached is waited for at the start, ms; as long as a database. */
const patienceMs = 5000

/**
 * Opens the queues, and waits a little for their store, since machines start their services in any order.
 * @throws RetryableError `queue-unavailable` after that; FatalError where the store cannot be used
 */
function openWorkQueue({
  config,
  databaseUrl,
  log,
  lifecycle: { signal },
}: ServiceContext<FarmConfig, WeighedBlock>): Promise<WorkQueue> {
  const giveUpAt = performance.now() + patienceMs
  return retryWhile(() => createWorkQueue({ databaseUrl, redisUrl: config.REDIS_URL, log }), {
    signal,
    maxMs: 1000,
    isRetryable: (error) => error instanceof RetryableError && performance.now() < giveUpAt,
    onRetry: (error, attempt) => {
      if (attempt === 1)
        log.warn({ reason: asError(error).message }, 'the store of the queues cannot be reached, trying again')
    },
  })
}

/**
 * Starts the upkeep of the database in the background; a farm without it still works, so what keeps it away is only
 * logged.
 */
function startUpkeep(
  { config, databaseUrl, lifecycle, metrics, ...context }: ServiceContext<FarmConfig, WeighedBlock>,
  neighbours: UpkeepNeighbours,
): void {
  const log = context.log.child({ service: 'upkeep' })
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: 3,
    applicationName: 'flowfarm upkeep',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections: flowfarm upkeep', () => pool.end())
  const start = async (): Promise<Upkeep> => {
    const upkeep = new Upkeep({
      pool,
      jobs: upkeepJobs(pool, allWorkers, { ...neighbours, webhookLogDays: config.WEBHOOK_LOG_DAYS }),
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
    () => log.debug('upkeep is scheduled'),
    (error: unknown) =>
      lifecycle.signal.aborted ||
      log.error({ err: asError(error) }, 'there will be no upkeep of the database: partitions ahead, pruning'),
  )
  const stop = async (): Promise<void> => {
    const [started] = await Promise.allSettled([starting])
    if (started.status === 'fulfilled') await started.value.stop()
  }
  // It takes a moment for pg-boss, which need not keep the other parts from stopping.
  const stopped = new Promise<void>((resolve) =>
    lifecycle.signal.addEventListener('abort', () => resolve(stop()), { once: true }),
  )
  lifecycle.onStop('upkeep', () => stopped)
}
