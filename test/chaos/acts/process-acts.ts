import { pause } from '../../../src/platform/retry.ts'
import type { ClockAct, FreezeAct, KillAct, TerminateAct } from '../plan/act.ts'
import type { ChaosWorld } from '../world/chaos-world.ts'
import type { SupervisedProcess } from '../world/supervised-process.ts'
import type { Measure, RunningAct } from './running-act.ts'

/** Guarantee: the leases of a killed process are taken over within this time. */
const takeoverLimitMs = 8000
/** Guarantee: SIGTERM ends a process within this time. */
const stopLimitMs = 10_000
/** Maximum wait for a process to claim leases, so that a kill affects some. */
const busyWithinMs = 1500

/**
 * Number of ranges in progress in these processes; undefined while the database does not respond.
 */
async function leasesOf({ postgres }: ChaosWorld, pids: readonly number[]): Promise<number | undefined> {
  if (!postgres.isUp) return undefined
  try {
    const {
      rows: [row],
    } = await postgres.pool.query<{ count: number }>(
      `select count(*)::int as count from app.worker_leases where status = 'active' and split_part(leased_by, ':', 2) = any ($1)`,
      [pids.map(String)],
    )
    return row?.count
  } catch {
    return undefined
  }
}

async function untilBusy(world: ChaosWorld, victims: readonly SupervisedProcess[]): Promise<void> {
  const workers = victims.filter(({ services }) => services.includes('farm')).map(({ pid }) => pid)
  const giveUpAt = performance.now() + busyWithinMs
  while (workers.length > 0 && performance.now() < giveUpAt && (await leasesOf(world, workers)) === 0) await pause(2)
}

/**
 * Resolves with the time until all leases of these processes are released; undefined if the
 * database was down meanwhile.
 */
async function takeover(world: ChaosWorld, pids: readonly number[], killedAt: number): Promise<number | undefined> {
  for (;;) {
    const left = await leasesOf(world, pids)
    if (left === undefined) return undefined
    if (left === 0) return Math.round(performance.now() - killedAt)
    await pause(20)
  }
}

export async function kill(world: ChaosWorld, { processes }: KillAct): Promise<RunningAct> {
  const victims = processes.map((name) => world.process(name))
  await untilBusy(world, victims)
  const pids = victims.map(({ pid }) => pid)
  const killedAt = performance.now()
  await Promise.all(victims.map((victim) => victim.kill()))
  const held = await leasesOf(world, pids)
  const free = held === undefined || held === 0 ? undefined : takeover(world, pids, killedAt)
  const ready = Promise.all(victims.map(async (victim) => victim.ready())).then(() =>
    Math.round(performance.now() - killedAt),
  )
  const leases = held === undefined ? '' : `, which held ${held} leased ranges`
  return {
    words: `kill -9 of ${processes.join(', ')}${leases}`,
    measures: async () => {
      const measures: Measure[] = []
      const ms = await free
      // The guarantee covers the kill of one process while others run.
      if (ms !== undefined && processes.length === 1)
        measures.push({ what: 'ranges taken over', ms, limitMs: takeoverLimitMs })
      else if (ms !== undefined) measures.push({ what: 'ranges of all processes taken over', ms })
      return [...measures, { what: 'started again', ms: await ready }]
    },
  }
}

export async function terminate(world: ChaosWorld, act: TerminateAct): Promise<RunningAct> {
  const process = world.process(act.process)
  await process.ready()
  const ending = process.terminate()
  return {
    words: `SIGTERM to ${act.process}`,
    measures: async () => {
      const { end, ms } = await ending
      // A process killed during startup is not checked.
      if (end !== 0 && end !== 'SIGKILL')
        world.findings.add('clean stop', `${act.process} ended with ${end} on SIGTERM:\n${process.lastLines(3)}`)
      return [{ what: 'stopped', ms, limitMs: stopLimitMs }]
    },
  }
}

export async function freeze(world: ChaosWorld, act: FreezeAct): Promise<RunningAct> {
  const process = world.process(act.process)
  await process.ready()
  await untilBusy(world, [process])
  const frozenAt = performance.now()
  process.freeze()
  const held = await leasesOf(world, [process.pid])
  const free = held === undefined || held === 0 ? undefined : takeover(world, [process.pid], frozenAt)
  return {
    words: `${act.process} was suspended (SIGSTOP)${held === undefined ? '' : ` with ${held} leased ranges`}, then resumed`,
    end: () => {
      process.thaw()
      return Promise.resolve()
    },
    measures: async () => {
      const ms = await free
      // A frozen process may hold a transaction and its ranges until it resumes, so no limit
      // applies.
      return ms === undefined ? [] : [{ what: 'ranges taken from one that stood still', ms }]
    },
  }
}

export async function stepClock(world: ChaosWorld, { process: name, stepMs }: ClockAct): Promise<RunningAct> {
  const process = world.process(name)
  await process.ready()
  world.wasClockStepped = true
  world.steppedClocks.add(name)
  process.stepClock(stepMs)
  return {
    words: `the clock of ${name} was set ${Math.abs(stepMs) / 1000} s ${stepMs < 0 ? 'back' : 'forward'}, and then corrected`,
    end: () => {
      process.stepClock(0)
      return Promise.resolve()
    },
  }
}
