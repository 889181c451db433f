import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import { withDatabase } from '../cli/open-database.ts'
import { count, duration, heights, many, print, printJson, styled, tableText } from '../cli/texts.ts'
import type { Column } from '../cli/texts.ts'
import type { Config } from '../../src/config.ts'
import { coordinatorLock } from '../../src/farm/coordinator/coordinator.ts'
import { listOpenRequests } from '../../src/farm/leases/requests.ts'
import type { OpenRequest } from '../../src/farm/leases/requests.ts'
import { readFarmOverview } from '../../src/farm/overview/farm-overview.ts'
import type { FarmOverview, KnownCoverage, LeaseCount, StageState } from '../../src/farm/overview/farm-overview.ts'
import { etaSeconds, PaceSamples } from '../../src/farm/overview/pace.ts'
import { planStages } from '../../src/farm/overview/stage-plan.ts'
import { findLockHolder } from '../../src/platform/db/advisory-lock.ts'
import { asDatabaseError } from '../../src/platform/db/errors.ts'
import { exitCodes } from '../../src/platform/errors.ts'
import { Terminal } from '../../src/platform/terminal.ts'

const watchEveryMs = 1000

interface StatusOptions {
  readonly watch: boolean
  readonly json: boolean
}

export function status(options: StatusOptions): Promise<number> {
  return withDatabase(async ({ pool, config }) => {
    const watch = new FarmWatch(pool, config)
    if (!options.watch) {
      const status = await watch.read()
      if (options.json) printJson(status)
      else print(statusText(status, screenWidth()))
      return exitCodes.success
    }
    const terminal = new Terminal()
    const show = (status: FarmStatus): void => {
      const text = options.json ? JSON.stringify(status) : statusText(status, screenWidth())
      // Over what was drawn before on a terminal, one below the other elsewhere.
      if (terminal.isInteractive && !options.json) terminal.setStatus(text.split('\n'))
      else print(options.json ? text : `${text}\n\n`)
    }
    const stopping = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
    while (!stopping.signal.aborted) {
      show(await watch.read())
      await delay(watchEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
    if (terminal.isInteractive) print('')
    return exitCodes.success
  })
}

/** One less than it has, so that no line is broken. Without a terminal there is no limit. */
function screenWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns - 1 : Infinity
}

/** One ingester or worker, with its pace. */
export interface StageStatus extends StageState {
  /** Heights a second; null until it was watched for two seconds. */
  readonly rate: number | null
  /** Until nothing is owed at this rate but what is flagged; null while that cannot be told. */
  readonly etaSeconds: number | null
}

/** What `npm run farm -- status` tells; ranges are half open. */
export interface FarmStatus extends Omit<FarmOverview, 'heights' | 'stages'> {
  readonly stages: readonly StageStatus[]
  /** Whether a process coordinates the farm now. */
  readonly isCoordinated: boolean
  /** What people asked for and is not finished. */
  readonly requests: readonly OpenRequest[]
}

/** Reads the state of the farm again and again, and learns its pace from that. */
export class FarmWatch {
  readonly #pool: pg.Pool
  readonly #config: Config
  readonly #pace = new PaceSamples()
  readonly #known: KnownCoverage = new Map()

  constructor(pool: pg.Pool, config: Config) {
    this.#pool = pool
    this.#config = config
  }

  /** @throws RetryableError when the database does not answer */
  async read(): Promise<FarmStatus> {
    const bounds = { startBlock: this.#config.START_BLOCK }
    try {
      const plans = planStages(this.#config, workers)
      const { heights: _, stages, ...overview } = await readFarmOverview(this.#pool, plans, bounds, this.#known)
      const at = performance.now()
      for (const { name, covered } of stages) this.#pace.add(name, at, covered)
      return {
        ...overview,
        stages: stages.map((stage) => this.#withPace(stage)),
        requests: await listOpenRequests(this.#pool),
        isCoordinated: (await findLockHolder(this.#pool, coordinatorLock)) !== undefined,
      }
    } catch (error) {
      throw asDatabaseError(error)
    }
  }

  #withPace(stage: StageState): StageStatus {
    const rate = this.#pace.rate(stage.name)
    return { ...stage, rate, etaSeconds: etaSeconds(stage.owed, stage.flagged.heights, rate) }
  }
}

/** Left out first where the screen is too narrow; the ones before are never. */
const leftOut = ['OLDEST UNFINISHED', 'HOLES', 'SKIPPED', 'QUEUED', 'FAILED', 'LEFT', 'RATE/S']

/** The state of the farm for people: a table of stages that fits into `width` columns, and what deserves a word. */
function statusText(status: FarmStatus, width: number): string {
  return [...headLines(status), '', stagesTable(status, width), ...remarks(status)].join('\n')
}

function headLines({ chainId, head, stored, takenAt }: FarmStatus): string[] {
  const range = stored === null ? 'nothing yet' : `heights ${heights(stored)}`
  const newest = head === null ? 'unknown' : count(head)
  return [takenAt.toISOString(), `Chain ${chainId ?? 'unknown'}, head ${newest}, stored ${range}.`]
}

function stagesTable({ stages, takenAt }: FarmStatus, width: number): string {
  let shown = columns(takenAt)
  let text = tableText(shown, stages).trimEnd()
  for (const title of leftOut) {
    if (Math.max(...text.split('\n').map((line) => stripVTControlCharacters(line).length)) <= width) break
    shown = shown.filter((column) => column.title !== title)
    text = tableText(shown, stages).trimEnd()
  }
  return text
}

function columns(now: Date): Column<StageStatus>[] {
  const numbers: readonly (readonly [string, (stage: StageStatus) => string])[] = [
    ['COVERED', ({ covered }) => count(covered)],
    ['OWED', ({ owed }) => count(owed)],
    ['QUEUED', ({ queued }) => leases(queued)],
    ['IN FLIGHT', ({ active }) => leases(active)],
    ['FAILED', ({ failed }) => trouble('yellow', failed)],
    ['FLAGGED', ({ flagged }) => trouble('red', flagged)],
    ['SKIPPED', ({ skipped }) => leases(skipped)],
    ['HOLES', ({ holes }) => count(holes)],
    ['RATE/S', ({ rate }) => (rate === null ? '-' : count(Math.round(rate)))],
    ['LEFT', ({ etaSeconds }) => (etaSeconds === null ? '-' : duration(etaSeconds))],
  ]
  return [
    { title: 'STAGE', value: ({ name, isEnabled }) => (isEnabled ? name : `${name} (off)`) },
    ...numbers.map(([title, value]) => ({ title, value, align: 'right' as const })),
    { title: 'OLDEST UNFINISHED', value: (stage) => blockedText(stage, now) ?? oldest(stage, now) },
  ]
}

/** Leases, and the heights in them. */
function leases({ leases: number, heights: inThem }: LeaseCount): string {
  return number === 0 ? '0' : `${count(number)} (${count(inThem)})`
}

function trouble(colour: 'red' | 'yellow', found: LeaseCount): string {
  return found.leases === 0 ? '0' : styled(colour, leases(found))
}

function blockedText({ blocked }: StageStatus, now: Date): string | undefined {
  if (blocked === null) return undefined
  const age = duration(Math.max(0, (now.getTime() - blocked.since.getTime()) / 1000))
  const [color, state] = blocked.cause === 'failed' ? (['red', 'stuck'] as const) : (['yellow', 'behind'] as const)
  return styled(
    color,
    `${state} for ${age}: ${many(blocked.heights, 'height waits', 'heights wait')} for ${blocked.by}`,
  )
}

function oldest({ oldestUnfinished: lease }: StageStatus, now: Date): string {
  if (lease === null) return '-'
  const age = duration(Math.max(0, (now.getTime() - lease.since.getTime()) / 1000))
  return `${heights(lease)}, ${lease.status} for ${age}, ${many(lease.attempt, 'run')}`
}

function remarks({
  stages,
  isCoordinated,
  requests,
  unresolvedErrors,
  failingHeights,
  unavailableHeights,
}: FarmStatus): string[] {
  const flagged = stages.reduce((sum, stage) => sum + stage.flagged.leases, 0)
  const idle = 'No process works on the farm: nothing is derived until one does (npm start).'
  const stuck = `${many(flagged, 'range needs', 'ranges need')} a person: npm run farm -- leases list --status flagged`
  const lines = [
    ...(isCoordinated ? [] : [styled('yellow', idle)]),
    ...(flagged > 0 ? [styled('red', stuck)] : []),
    ...(failingHeights > 0
      ? [
          styled(
            'red',
            `Ingestion waits for ${many(failingHeights, 'height')} that no access node serves: npm run raw -- list`,
          ),
        ]
      : []),
    ...(unavailableHeights > 0
      ? [`${many(unavailableHeights, 'height')} are unavailable, whole or in part: npm run raw -- list`]
      : []),
    ...(unresolvedErrors > 0 ? [`${many(unresolvedErrors, 'input')} could not be used: see raw.indexing_errors.`] : []),
    ...requests.map(({ id, workers, workersOff, ...range }) => {
      const off = workersOff.length === 0 ? '' : `; switched off: ${workersOff.join(', ')}`
      return `Request ${id}: heights ${heights(range)} by ${workers.join(', ')}${off}`
    }),
  ]
  return lines.length === 0 ? [] : ['', ...lines]
}
