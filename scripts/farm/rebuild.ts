import type pg from 'pg'
import { pino } from 'pino'
import { workers } from '../../jobs/index.ts'
import { withDatabase } from '../cli/open-database.ts'
import type { OpenDatabase } from '../cli/open-database.ts'
import { endOf } from '../cli/options.ts'
import type { HeightOptions } from '../cli/options.ts'
import { ProgressBar } from '../cli/progress-bar.ts'
import { count, heightSet, pluralize, print, printJson, styled, tableText } from '../cli/texts.ts'
import { readWorkers } from './workers.ts'
import type { OwnWorkerSource } from '../../src/farm/own/own-workers.ts'
import { OwnWorkerLoader } from '../../src/own-tables/loader.ts'
import { readOwnWorkers } from '../../src/own-tables/registry.ts'
import { compareDerived } from '../../src/farm/rebuild/compare-derived.ts'
import type {
  DerivedComparison,
  RowDifference,
  RowTexts,
  TableComparison,
} from '../../src/farm/rebuild/compare-derived.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import type { RebuildReport } from '../../src/farm/rebuild/rebuild-derived.ts'
import { defaultSchema } from '../../src/farm/rebuild/derived-tables.ts'
import { chainIdToNetwork } from '../../src/flow/network.ts'
import type { Network } from '../../src/flow/network.ts'
import { query } from '../../src/platform/db/pool.ts'
import { exitCodes, FatalError } from '../../src/platform/errors.ts'
import { size } from '../../src/platform/ranges.ts'

interface RebuildOptions extends HeightOptions {
  readonly schema: string | undefined
  readonly json: boolean
}

interface VerifyOptions extends RebuildOptions {
  readonly rebuild: boolean
  readonly rows: number | undefined
}

export function rebuild(options: RebuildOptions): Promise<number> {
  return withDatabase(async (database) => {
    const startedAt = performance.now()
    const schema = options.schema ?? defaultSchema
    const report = await rebuildWithProgress(database, { from: options.from, to: endOf(options), schema })
    const seconds = Math.round(performance.now() - startedAt) / 1000
    const { heights, rows, problems } = report
    const failed = report.failed.map(({ worker, height, error }) => ({ worker, height, message: error.message }))
    for (const { worker, height, message } of failed) {
      process.stderr.write(`${worker} cannot derive height ${height}: ${message}\n`)
    }
    if (options.json) printJson({ schema, heights, rows, problems, failed, seconds })
    else {
      print(
        `Derived ${pluralize(size(heights), 'height')} (${heightSet(heights)}) into the schema ${schema}: ` +
          `${pluralize(rows, 'row')}, ${pluralize(problems, 'problem')}, ${count(seconds)} s. Compare with: npm ` +
          'run verify',
      )
    }
    return exitCodes.success
  })
}

export function verify(options: VerifyOptions): Promise<number> {
  return withDatabase(async (database) => {
    const { pool } = database
    const schema = options.schema ?? defaultSchema
    const [from, to] = [options.from, endOf(options)]
    if (options.rebuild) await rebuildWithProgress(database, { from, to, schema })
    const comparison = await compareDerived({
      pool,
      workers: await readWorkers(pool),
      schema,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(options.rows === undefined ? {} : { maxRows: options.rows }),
    })
    if (comparison.heights.length === 0) {
      const message =
        'Nothing to compare: no height is in the rebuild and covered by all workers. Run npm run rebuild first.'
      throw new FatalError('nothing-compared', message)
    }
    if (options.json) printJson(comparison)
    else print(comparisonText(comparison, schema))
    return comparison.isEqual ? exitCodes.success : exitCodes.operatorActionRequired
  })
}

interface RebuildTarget {
  readonly from: number | undefined
  /** Exclusive. */
  readonly to: number | undefined
  readonly schema: string
}

/** @throws FatalError `not-stored` if none of the heights are stored */
async function rebuildWithProgress(
  database: OpenDatabase,
  { from, to, schema }: RebuildTarget,
): Promise<RebuildReport> {
  const { pool } = database
  const network = await readNetwork(pool)
  const own = await openOwnWorkers(database)
  const bar = new ProgressBar('Deriving')
  try {
    const report = await rebuildDerived({
      pool,
      workers: [...workers, ...own.workers()],
      network,
      schema,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      onProgress: (done, all) => bar.show(done, all, done === all ? 'folding' : ''),
    })
    if (report.heights.length === 0) {
      const message = 'None of these heights are stored. See npm run farm -- status for stored heights.'
      throw new FatalError('not-stored', message)
    }
    return report
  } finally {
    bar.end()
    await own.stop()
  }
}

/** Those without code in WORKERS_DIR are left out. */
async function openOwnWorkers({ pool, url, config }: OpenDatabase): Promise<Pick<OwnWorkerSource, 'workers' | 'stop'>> {
  const registered = await readOwnWorkers(pool)
  const { WORKERS_DIR: folder, WORKERS_RELOAD: isReload } = config
  if (registered.length === 0 || folder === undefined) {
    leaveOut(registered.map(({ name }) => name))
    return { workers: () => [], stop: () => Promise.resolve() }
  }
  const log = pino({ level: 'error' }, pino.destination({ dest: 2, sync: true }))
  const loader = new OwnWorkerLoader({ folder, isReload, pool, databaseUrl: url, log })
  await loader.started
  const loaded = new Set(loader.workers().map(({ name }) => name))
  leaveOut(registered.map(({ name }) => name).filter((name) => !loaded.has(name)))
  return loader
}

function leaveOut(names: readonly string[]): void {
  if (names.length === 0) return
  process.stderr.write(`Left out: ${names.join(', ')}. Set WORKERS_DIR to the folder with their code.\n`)
}

/** @throws FatalError `chain-unknown`, `unknown-chain` */
async function readNetwork(pool: pg.Pool): Promise<Network> {
  const {
    rows: [row],
  } = await query<{ chain_id: string }>(pool, 'select chain_id from app.chain')
  if (row === undefined) {
    const message = 'The database has no blocks yet: start flowfarm with an access node.'
    throw new FatalError('chain-unknown', message)
  }
  const network = chainIdToNetwork(row.chain_id)
  if (network === undefined) {
    throw new FatalError('unknown-chain', `The database holds an unknown chain: ${row.chain_id}.`)
  }
  return network
}

function comparisonText({ isEqual, heights, leftOut, tables }: DerivedComparison, schema: string): string {
  const differing = tables.filter(({ differences }) => differences > 0)
  const lines = [
    `Compared with the schema ${schema}: ${pluralize(size(heights), 'height')} (${heightSet(heights)}).`,
    ...(leftOut.length > 0 ? [`Left out, because a worker does not cover them: ${heightSet(leftOut)}.`] : []),
    '',
    tableText<TableComparison>(
      [
        { title: 'TABLE', value: ({ table }) => table },
        { title: 'ROWS', align: 'right', value: ({ kept }) => count(kept) },
        { title: 'REBUILT', align: 'right', value: ({ rebuilt }) => count(rebuilt) },
        { title: 'LEFT OUT', align: 'right', value: ({ kind, leftOut: keys }) => (kind === 'fold' ? count(keys) : '') },
        { title: 'DIFFERENT', align: 'right', value: differencesText },
      ],
      tables,
    ),
    ...differing.flatMap(tableDifferences),
    isEqual
      ? styled('green', 'Equal.')
      : styled('red', `${pluralize(differing.length, 'table differs', 'tables differ')}.`),
  ]
  return lines.join('\n')
}

function differencesText({ differences }: TableComparison): string {
  return differences === 0 ? '0' : styled('red', count(differences))
}

function tableDifferences({ table, workers, differences, first }: TableComparison): string[] {
  const shown = first.length < differences ? `, the first ${first.length} of them` : ''
  const owner = workers.length > 1 ? 'all workers' : workers.join()
  const heading = `${table} (${owner}): ${pluralize(differences, 'row differs', 'rows differ')}${shown}`
  return [styled('bold', heading), ...first.flatMap(rowDifference), '']
}

function rowDifference({ key, kept, rebuilt }: RowDifference): string[] {
  const name = Object.entries(key)
    .map(([column, value]) => `${column} ${value ?? 'null'}`)
    .join(', ')
  if (kept === undefined) return [`  ${name}`, `    missing; should be ${fields(rebuilt ?? {}, key)}`]
  if (rebuilt === undefined) return [`  ${name}`, `    unexpected; is ${fields(kept, key)}`]
  const changed = Object.keys(kept).filter((column) => kept[column] !== rebuilt[column])
  return [
    `  ${name}`,
    ...changed.map((column) => {
      return `    ${column} is ${kept[column] ?? 'null'}, should be ${rebuilt[column] ?? 'null'}`
    }),
  ]
}

function fields(row: RowTexts, key: RowTexts): string {
  const rest = Object.entries(row).filter(([column]) => !(column in key))
  return rest.length === 0 ? 'present' : rest.map(([column, value]) => `${column} ${value ?? 'null'}`).join(', ')
}
