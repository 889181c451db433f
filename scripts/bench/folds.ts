/**
 * What folding costs where keys have a long history: the commit of a range in which the receiver of all fees, an account
 * with very many vaults, an account that takes part in every block and one that got something in every block of before
 * Cadence 1.0 move once more.
 *
 *     npm run bench:folds [-- --rows n] [--spacing heights] [--vaults n] [--holders n] [--commits n]
 *
 * One connection, commits that are not flushed, an embedded server; each figure is the median of the commits.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { accountsWorker } from '../../jobs/accounts-worker.ts'
import { ftHoldingsWorker } from '../../jobs/ft-holdings-worker.ts'
import { workers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import { addressBytes } from '../../src/flow/address.ts'
import { startEmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { commitRange } from '../../src/farm/commit/commit-range.ts'
import { followersOf } from '../../src/farm/commit/folds.ts'
import { RangeOutput } from '../../src/farm/commit/range-output.ts'
import {
  feeReceiver,
  hoarder,
  oldReceiver,
  regular,
  skewedToken,
  writeSkewedHistory,
} from '../support/skewed-history.ts'
import { readOptions } from './read-options.ts'

const { values } = readOptions(import.meta.filename, {
  options: {
    rows: { type: 'string', default: '1000000' },
    spacing: { type: 'string', default: '150' },
    vaults: { type: 'string', default: '100000' },
    holders: { type: 'string', default: '1000000' },
    commits: { type: 'string', default: '40' },
  },
})
const [rows, spacing] = [Number(values.rows), Number(values.spacing)]
const [vaults, holders, commits] = [Number(values.vaults), Number(values.holders), Number(values.commits)]
const folder = mkdtempSync(join(tmpdir(), 'flowfarm-bench-'))
const server = await startEmbeddedPostgres({ dataFolder: folder, log: () => undefined })
const pool = createPool(server.url, { max: 1, applicationName: 'bench' })
try {
  await migrate(pool, join(import.meta.dirname, '../../migrations'))
  await pool.query('set synchronous_commit = off')
  const started = performance.now()
  await writeSkewedHistory(pool, { rows, spacing, vaults, holders })
  console.log(`node ${process.version}, ${availableParallelism()} cores`)
  console.log(
    `${rows} rows of history a key in ${Math.ceil((rows * spacing) / 1e6)} partitions, ${vaults} vaults of one ` +
      `account, ${holders} holders, made in ${((performance.now() - started) / 1000).toFixed(0)} s; ` +
      `median and 95 % of ${commits} commits of one block\n`,
  )
  await measure('at the head', (i) => rows * spacing + i)
  await measure('in the middle', (i) => (Math.floor(rows / 2) + i) * spacing + 1)
  await measure('a second time', (i) => (Math.floor(rows / 2) + i) * spacing + 1)
} finally {
  await pool.end()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(place: string, heightOf: (i: number) => number): Promise<void> {
  const times = new Map<Worker, number[]>([ftHoldingsWorker, accountsWorker].map((worker) => [worker, []]))
  for (let i = 0; i < commits; i++) {
    const height = heightOf(i)
    for (const [worker, list] of times) {
      const began = performance.now()
      await commit(worker, height, i)
      list.push(performance.now() - began)
    }
  }
  for (const [worker, list] of times) {
    list.sort((a, b) => a - b)
    const at = (part: number): string => `${(list[Math.floor(list.length * part)] ?? 0).toFixed(1)} ms`
    console.log(`${place.padEnd(14)}  ${worker.name.padEnd(20)}  ${at(0.5)}  ${at(0.95)}`)
  }
}

/** Every key moves once; each vault of the hoarder in its turn. */
async function commit(worker: Worker, height: number, turn: number): Promise<void> {
  const output = new RangeOutput(worker)
  if (worker === ftHoldingsWorker) {
    const states = output.rows('app.ft_vault_balances')
    for (const [uuid, owner] of [
      [3, feeReceiver],
      [1_000_001 + (turn % vaults), hoarder],
    ] as const) {
      states.row(6)
      states.int8(uuid)
      states.int4(height)
      states.int2(0)
      states.bytea(addressBytes(owner))
      states.text(skewedToken)
      states.numeric('2.00000000')
    }
    const changes = output.rows('app.ft_balance_changes')
    changes.row(4)
    changes.int8(height)
    changes.text(oldReceiver)
    changes.text(skewedToken)
    changes.numeric('1.00000000')
  }
  if (worker === accountsWorker) {
    const transactions = output.rows('app.address_transactions')
    transactions.row(8)
    transactions.int8(height)
    transactions.int8(7)
    transactions.int4(0)
    for (const hasRole of [true, true, true, false]) transactions.bool(hasRole)
    transactions.text(regular)
  }
  const {
    rows: [lease],
  } = await pool.query<{ generation: string }>(
    `insert into app.worker_leases (worker_type, from_height, to_height, generation, status)
     values ($1, $2::bigint, $2::bigint + 1, nextval('app.lease_generation'), 'active')
     on conflict (worker_type, from_height) do update set status = 'active', generation = excluded.generation
     returning generation`,
    [worker.name, height],
  )
  const outcome = await commitRange(pool, {
    worker,
    followers: followersOf(worker, workers),
    chainVersion: undefined,
    output,
    lease: { worker: worker.name, from: height, to: height + 1, generation: Number(lease?.generation), attempt: 1 },
  })
  if (outcome !== 'committed') throw new Error(`a commit was ${outcome}`)
}
