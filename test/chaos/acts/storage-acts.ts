import { pause } from '../../../src/platform/retry.ts'
import type { PostgresAct, QueueAct } from '../plan/act.ts'
import type { ChaosWorld } from '../world/chaos-world.ts'
import type { SmallDisk } from '../world/small-disk.ts'
import type { RunningAct } from './running-act.ts'

/** Guarantee: a lost queue is refilled within this time after its return. */
const refillLimitMs = 10_000
/** A full disk must be detected within this time, as the chain continues. */
const noticedWithinMs = 30_000
const diskFullForMs = 3000

export async function disturbPostgres(world: ChaosWorld, { how }: PostgresAct): Promise<RunningAct> {
  const { postgres } = world
  const endFault = world.beginFault('database')
  if (how === 'cut') {
    const count = await postgres.cut()
    endFault()
    return { words: `PostgreSQL ended all ${count} connections` }
  }
  if (how === 'crash-session') {
    await postgres.crashSession()
    return {
      words: 'a PostgreSQL session was killed; PostgreSQL ended all others and recovered',
      end: async () => {
        await postgres.answers()
        endFault()
      },
    }
  }
  if (how === 'stop') await postgres.stop()
  else await postgres.kill()
  let upMs = 0
  return {
    words: how === 'stop' ? 'PostgreSQL was stopped and started' : 'all of PostgreSQL was killed and started again',
    end: async () => {
      const startedAt = performance.now()
      await postgres.start()
      await postgres.answers()
      endFault()
      upMs = Math.round(performance.now() - startedAt)
    },
    measures: () => Promise.resolve([{ what: 'PostgreSQL up', ms: upMs }]),
  }
}

export async function dropQueue({ queue }: ChaosWorld, { how }: QueueAct): Promise<RunningAct> {
  if (how === 'empty') {
    await queue.empty()
    return { words: `the farm's queue in ${queue.name} was emptied`, recoveryLimitMs: refillLimitMs }
  }
  const restore = await queue.destroy()
  return {
    words:
      queue.name === 'Redis' ? 'Redis was killed and started again' : "the tables of the farm's queue were dropped",
    recoveryLimitMs: refillLimitMs,
    end: restore,
  }
}

/** Fills the disk until a process or the database exits, then frees it. */
export async function fillDisk(world: ChaosWorld, disk: SmallDisk): Promise<RunningAct> {
  const { postgres, findings, processes } = world
  const endFault = world.beginFault('disk')
  const starts = processes.map(({ startCount }) => startCount)
  const filledAt = performance.now()
  await disk.fill()
  let noticedMs = 0
  const isNoticed = (): boolean => !postgres.isUp || processes.some(({ startCount }, i) => startCount !== starts[i])
  return {
    words: 'the disk of the database was full, then freed',
    end: async () => {
      while (!isNoticed() && performance.now() - filledAt < noticedWithinMs) await pause(20)
      noticedMs = Math.round(performance.now() - filledAt)
      if (!isNoticed()) findings.add('disk', `the disk was full for ${noticedMs} ms, and no process exited with 75`)
      await pause(diskFullForMs)
      await disk.makeRoom()
      if (!postgres.isUp) await postgres.start()
      await postgres.answers()
      endFault()
    },
    measures: () => Promise.resolve([{ what: 'full disk noticed', ms: noticedMs }]),
  }
}
