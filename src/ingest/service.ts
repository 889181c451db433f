import type { SettingValues } from '../platform/setting.ts'
import type { accessNodeSettings } from '../access/settings.ts'
import type { ingestSettings } from './settings.ts'
import { countCalls } from '../access/count-calls.ts'
import type pg from 'pg'
import type { ChainSource, ChainSourceOptions } from '../access/chain-source.ts'
import { createChainSource } from '../access/create-chain-source.ts'
import type { FetchedBlock } from '../access/messages.ts'

type Config = SettingValues<typeof accessNodeSettings & typeof ingestSettings> & {
  readonly LOG_FORMAT: 'auto' | 'json' | 'pretty'
}

import { historicNodes, liveEndpoints } from '../access/settings.ts'
import { BackwardIngester } from './backward-ingester.ts'
import { ingesterNames, readGeneration } from './checkpoints.ts'
import type { IngesterName } from './checkpoints.ts'
import { decodedBlock } from './decoded-block.ts'
import { FailingHeights } from './failing-heights.ts'
import { ForwardIngester } from './forward-ingester.ts'
import { HeadTracker } from './head-tracker.ts'
import { Progress, progressText, statusText } from './progress.ts'
import { connectionLimits } from '../platform/db/pool.ts'
import { createPool, logIdleErrors } from '../platform/db/pool.ts'
import { asError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { pause } from '../platform/retry.ts'
import type { ServiceContext } from '../platform/service.ts'
import type { WeighedBlock } from '../flow/decoded-block.ts'

/** Memory of a decoded block per received byte: 3 after all workers have read it, plus reserve. */
const bytesPerByte = 4
/** Interval of progress lines without a terminal; `drawEveryMs` is that of the status line. */
const logEveryMs = 10_000
const drawEveryMs = 500
/** Interval of checkpoint reads: its generation changes when an operator retries heights. */
const defaultRecheckMs = 10_000
/**
 * Maximum time until a failing settled height is reported; half of UNAVAILABLE_AFTER_S if that is
 * less.
 */
const maxQuietMs = 30_000

/** Defaults suit real nodes. */
export interface IngestTimeouts extends Pick<ChainSourceOptions, 'settledDepth' | 'maxPauseMs'> {
  readonly reportAfterMs?: number
  readonly recheckMs?: number
}

interface IngestOptions extends IngestTimeouts {
  /** Runs in the transaction that deletes raw rows. */
  readonly beforeRollBack: (client: pg.ClientBase, ancestor: number) => Promise<void>
}

export async function startIngest(
  context: ServiceContext<Config, WeighedBlock>,
  { beforeRollBack, ...timeouts }: IngestOptions,
): Promise<void> {
  const { config, databaseUrl, metrics, lifecycle, shared } = context
  const log = context.log.child({ service: 'ingest' })
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: 8,
    applicationName: 'flowfarm ingest',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections of the ingesters', () => pool.end())

  const source = (historic?: ReturnType<typeof historicNodes>): ChainSource => {
    const created = createChainSource({
      liveEndpoints: liveEndpoints(config),
      ...historic,
      log,
      ...timeouts,
      ...(config.CHAIN_RPC_RPS ? { requestsPerSecond: config.CHAIN_RPC_RPS } : {}),
      ...(config.CHAIN_RPC_BURST === undefined ? {} : { burst: config.CHAIN_RPC_BURST }),
      onCall: countCalls(metrics),
    })
    lifecycle.onStop('access nodes', () => created.close())
    return created
  }
  const live = source()
  const heads = new HeadTracker({ pool, source: live, log, metrics, signal: lifecycle.signal })
  shared.latestHeight = () => heads.current?.height
  const progress = new Progress(() => heads.current?.height)
  const work: Promise<void>[] = [heads.run()]
  const common = {
    databaseUrl,
    pool,
    metrics,
    progress,
    signal: lifecycle.signal,
    maxPauseMs: timeouts.maxPauseMs,
    onStored: shared.isFarmHere
      ? (blocks: readonly FetchedBlock[], generation: number) =>
          shared.offerBlocks?.(
            blocks.map((block) => ({ block: decodedBlock(block), bytes: block.byteLength * bytesPerByte })),
            generation,
          )
      : undefined,
  }
  const {
    recheckMs = defaultRecheckMs,
    reportAfterMs = Math.min(maxQuietMs, (config.UNAVAILABLE_AFTER_S || Infinity) * 500),
  } = timeouts
  const failing = (name: IngesterName, from: ChainSource): FailingHeights =>
    new FailingHeights({
      pool,
      name,
      source: from,
      log: log.child({ ingester: name }),
      metrics,
      unavailableAfterMs: config.UNAVAILABLE_AFTER_S * 1000,
      reportAfterMs,
    })
  if (config.ENABLE_FORWARD_INGESTER) {
    const name = ingesterNames.forward
    work.push(
      new ForwardIngester({
        ...common,
        name,
        source: live,
        log: log.child({ ingester: name }),
        failing: failing(name, live),
        heads,
        fixedWidth: config.LATEST_WORKER_COUNT,
        fixedBatch: config.LATEST_BATCH_SIZE,
        initialWidth: 2,
        startBlock: config.START_BLOCK,
        isHistoryEnabled: config.ENABLE_HISTORY_INGESTER,
        headBackfillBlocks: config.LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS,
        maxReorgDepth: config.MAX_REORG_DEPTH,
        recheckMs,
        beforeRollBack,
      }).run(),
    )
  }
  if (config.ENABLE_HISTORY_INGESTER) {
    const name = ingesterNames.backward
    const historic = source(historicNodes(config))
    const backward = new BackwardIngester({
      ...common,
      name,
      source: historic,
      log: log.child({ ingester: name }),
      failing: failing(name, historic),
      fixedWidth: config.HISTORY_WORKER_COUNT,
      fixedBatch: config.HISTORY_BATCH_SIZE,
      initialWidth: 5,
      startBlock: config.START_BLOCK,
      stopHeight: config.HISTORY_STOP_HEIGHT,
      isForwardEnabled: config.ENABLE_FORWARD_INGESTER,
      awaitCapacity: async (signal) => shared.historyCapacity?.(signal),
    })
    work.push(repeatOnRetry(backward, pool, log, recheckMs, lifecycle.signal))
  }
  for (const running of work) running.catch((error: unknown) => void lifecycle.fail(error))
  lifecycle.onStop('ingesters', async () => {
    await Promise.allSettled(work)
  })
  report(context, progress)
}

/** Runs again when an operator retries heights. */
async function repeatOnRetry(
  backward: BackwardIngester,
  pool: pg.Pool,
  log: Logger,
  recheckMs: number,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await backward.run()
    let before: number | undefined
    for (let isSame = true; isSame;) {
      if (signal.aborted) return
      try {
        const now = await readGeneration(pool, ingesterNames.backward)
        isSame = before === undefined || now === before
        before = now
        if (isSame) await pause(recheckMs, signal)
      } catch (error) {
        if (signal.aborted) return
        log.debug({ err: asError(error) }, 'Could not read the history checkpoint: retrying')
        await pause(recheckMs, signal).catch((reason: unknown) => log.debug({ reason }, 'Stopped while waiting'))
      }
    }
  }
}

function report({ terminal, log, lifecycle, config }: ServiceContext<Config, WeighedBlock>, progress: Progress): void {
  const isDrawn = terminal.isInteractive && config.LOG_FORMAT !== 'json'
  const timer = setInterval(
    () => {
      const lines = progress.lines()
      if (isDrawn) terminal.setStatus(lines.map(statusText))
      else for (const line of lines) log.info({ service: 'ingest', ...line }, progressText(line))
    },
    isDrawn ? drawEveryMs : logEveryMs,
  )
  timer.unref()
  lifecycle.onStop('progress', () => {
    clearInterval(timer)
    terminal.setStatus([])
  })
}
