import { setTimeout as delay } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import type pg from 'pg'
import { withDatabase } from '../cli/open-database.ts'
import { count, duration, heights, pluralize, print, printJson, styled, tableText } from '../cli/texts.ts'
import type { Column } from '../cli/texts.ts'
import { readWorkers } from './workers.ts'
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

/** One column less, so that no line wraps. */
function screenWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns - 1 : Infinity
}

export interface StageStatus extends StageState {
  /** Null for the first two seconds. */
  readonly rate: number | null
  /** Without flagged heights; null if unknown. */
  readonly etaSeconds: number | null
}

export interface FarmStatus extends Omit<FarmOverview, 'heights' | 'stages'> {
  readonly stages: readonly StageStatus[]
  readonly isCoordinated: boolean
  readonly requests: readonly OpenRequest[]
}

export class FarmWatch {
  readonly #pool: pg.Pool
  readonly #config: Config
  readonly #pace = new PaceSamples()
  readonly #known: KnownCoverage = new Map()

  constructor(pool: pg.Pool, config: Config) {
    this.#pool = pool
    this.#config = config
  }

  /** @throws RetryableError if the database does not respond */
  async read(): Promise<FarmStatus> {
    const bounds = { startBlock: this.#config.START_BLOCK }
    try {
      const plans = planStages(this.#config, await readWorkers(this.#pool))
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
    return { ...stage, rate, etaSeconds: etaSeconds(stage.backlog, stage.flagged.heights, rate) }
  }
}

const leftOut = ['OLDEST UNFINISHED', 'HOLES', 'SKIPPED', 'QUEUED', 'FAILED', 'TIME LEFT', 'RATE/S']

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
    ['BACKLOG', ({ backlog }) => count(backlog)],
    ['QUEUED', ({ queued }) => leases(queued)],
    ['ACTIVE', ({ active }) => leases(active)],
    ['FAILED', ({ failed }) => countInColour('yellow', failed)],
    ['FLAGGED', ({ flagged }) => countInColour('red', flagged)],
    ['SKIPPED', ({ skipped }) => leases(skipped)],
    ['HOLES', ({ holes }) => count(holes)],
    ['RATE/S', ({ rate }) => (rate === null ? '-' : count(Math.round(rate)))],
    ['TIME LEFT', ({ etaSeconds }) => (etaSeconds === null ? '-' : duration(etaSeconds))],
  ]
  return [
    { title: 'STAGE', value: ({ name, isEnabled }) => (isEnabled ? name : `${name} (off)`) },
    ...numbers.map(([title, value]) => ({ title, value, align: 'right' as const })),
    { title: 'OLDEST UNFINISHED', value: (stage) => blockedText(stage, now) ?? oldest(stage, now) },
  ]
}

function leases({ leases: number, heights: inThem }: LeaseCount): string {
  return number === 0 ? '0' : `${count(number)} (${count(inThem)})`
}

function countInColour(colour: 'red' | 'yellow', found: LeaseCount): string {
  return found.leases === 0 ? '0' : styled(colour, leases(found))
}

function blockedText({ blocked }: StageStatus, now: Date): string | undefined {
  if (blocked === null) return undefined
  const age = duration(Math.max(0, (now.getTime() - blocked.since.getTime()) / 1000))
  const [color, state] = blocked.cause === 'failed' ? (['red', 'stuck'] as const) : (['yellow', 'behind'] as const)
  return styled(
    color,
    `${state} for ${age}: ${pluralize(blocked.heights, 'height waits', 'heights wait')} for ${blocked.by}`,
  )
}

function oldest({ oldestUnfinished: lease }: StageStatus, now: Date): string {
  if (lease === null) return '-'
  const age = duration(Math.max(0, (now.getTime() - lease.since.getTime()) / 1000))
  return `${heights(lease)}, ${lease.status} for ${age}, ${pluralize(lease.attempt, 'attempt')}`
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
  const idle = 'No farm process is running: nothing is derived. Start one with npm start.'
  const stuck = `${pluralize(flagged, 'range is', 'ranges are')} flagged: npm run farm -- leases list --status flagged`
  const lines = [
    ...(isCoordinated ? [] : [styled('yellow', idle)]),
    ...(flagged > 0 ? [styled('red', stuck)] : []),
    ...(failingHeights > 0
      ? [
          styled(
            'red',
            `Ingestion waits for ${pluralize(failingHeights, 'height')} that no access node serves: npm run raw ` +
              '-- list',
          ),
        ]
      : []),
    ...(unavailableHeights > 0
      ? [`${pluralize(unavailableHeights, 'height')} unavailable, completely or partly: npm run raw -- list`]
      : []),
    ...(unresolvedErrors > 0
      ? [`${pluralize(unresolvedErrors, 'unresolved indexing error')}: see raw.indexing_errors.`]
      : []),
    ...requests.map(({ id, workers, workersOff, ...range }) => {
      const off = workersOff.length === 0 ? '' : `; disabled: ${workersOff.join(', ')}`
      return `Request ${id}: heights ${heights(range)} by ${workers.join(', ')}${off}`
    }),
  ]
  return lines.length === 0 ? [] : ['', ...lines]
}
