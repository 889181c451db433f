import type pg from 'pg'
import { pino } from 'pino'
import { allEnrichmentWorkers } from '../../../jobs/enrichment/index.ts'
import { workers } from '../../../jobs/index.ts'
import { startLedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import { collections } from '../../../simnode/ledger/world/collections.ts'
import { tokens } from '../../../simnode/ledger/world/tokens.ts'
import { readConfig } from '../../../src/config.ts'
import { readCoverage } from '../../../src/farm/leases/coverage.ts'
import { listen } from '../../../src/platform/db/listen.ts'
import { Lifecycle, Shared } from '../../../src/platform/service.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import { difference } from '../../../src/platform/ranges.ts'
import { Terminal } from '../../../src/platform/terminal.ts'
import { startFarm, startIngest } from '../../../src/services.ts'
import type { WeighedBlock } from '../../../src/flow/decoded-block.ts'

/** A chain made of code: equal ones give equal databases. */
interface EvalChain {
  readonly seed: number
  /** Its last height; the first is 0. */
  readonly head: number
  readonly lastBlockAt: Date
}

/**
 * The chain with the known answers: three epochs in it, and blocks a quarter of an hour apart, so that there is a
 * week of days.
 */
export const knownChain: EvalChain = { seed: 9, head: 430, lastBlockAt: new Date('2026-01-08T06:00:00Z') }
/** Another one, which `perturbIndexer` changes further: it catches statements that are right by accident. */
export const otherChain: EvalChain = { seed: 12, head: 260, lastBlockAt: new Date('2026-02-03T19:00:00Z') }

const pastSpacingMs = 15 * 60_000
const spacingMs = 800

/**
 * Fills an empty database that has our tables: ingest and all workers, as the program runs them, until they have done
 * the chain.
 */
export async function fillIndexer(
  { url, pool }: { readonly url: string; readonly pool: pg.Pool },
  chain: EvalChain,
): Promise<void> {
  const { seed, head, lastBlockAt } = chain
  const node = await startLedgerNode({
    seed,
    head,
    clock: { height: head, time: lastBlockAt, spacingMs, pastSpacingMs },
  })
  const lifecycle = new Lifecycle(pino({ level: 'silent' }))
  try {
    const shared = new Shared<WeighedBlock>()
    shared.isFarmHere = true
    const config = readConfig(
      { ...nothingAsked, HISTORY_DERIVERS_BATCH_MS: '0', CHAIN_ACCESS_NODE: node.endpoint, START_BLOCK: '0' },
      {},
    )
    const context = {
      config,
      databaseUrl: url,
      pool,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      lifecycle,
      terminal: new Terminal(),
      shared,
    }
    await startIngest(context)
    await startFarm(context)
    await untilDerived(url, pool, head, lifecycle)
  } finally {
    await lifecycle.stop('the database is filled')
    await node.stop()
  }
  if (lifecycle.failure !== undefined) throw lifecycle.failure
  await tellNames(pool)
  await pool.query('analyze')
}

/** What a chain answers at its head depends on when it is asked: names are told by `tellNames` instead. */
const nothingAsked = Object.fromEntries(
  allEnrichmentWorkers.map(({ name }) => [`ENABLE_${name.toUpperCase()}`, 'false']),
)

/** Looks whenever the farm announces what it has done. */
async function untilDerived(url: string, pool: pg.Pool, head: number, lifecycle: Lifecycle): Promise<void> {
  const names = workers.map(({ name }) => name)
  const isDone = async (): Promise<boolean> => {
    const coverage = await readCoverage(pool, names)
    return names.every((name) => difference([{ from: 0, to: head + 1 }], coverage.get(name) ?? []).length === 0)
  }
  const stop = new AbortController()
  const done = Promise.withResolvers<undefined>()
  const look = (): void => void isDone().then((is) => is && done.resolve(undefined), done.reject)
  lifecycle.signal.addEventListener('abort', () =>
    done.reject(lifecycle.failure ?? new Error('The farm stopped before it had done all')),
  )
  const listener = await listen(url, ['flowfarm_farm', 'flowfarm_blocks'], look, {
    signal: stop.signal,
    onReconnect: look,
    onError: look,
  })
  try {
    look()
    await done.promise
  } finally {
    stop.abort()
    await listener.ended
  }
}

/**
 * Writes what the tokens and collections of the simulated chain are called, as the workers that ask the chain would.
 */
async function tellNames(pool: pg.Pool): Promise<void> {
  for (const { name, title, symbol, contract } of tokens) {
    await pool.query(
      `insert into app.ft_token_metadata (token, name, symbol, status, asked_at)
        values ($1, $2, $3, 'answered', now())`,
      [`A.${contract.hex}.${name}`, title, symbol],
    )
  }
  for (const { name, title, contract } of collections) {
    await pool.query(
      `insert into app.nft_collection_metadata (token, name, status, asked_at) values ($1, $2, 'answered', now())`,
      [`A.${contract.hex}.${name}`, title],
    )
  }
}
