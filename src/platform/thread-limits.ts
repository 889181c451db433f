import type { Worker } from 'node:worker_threads'
import { constants, getPriority, setPriority } from 'node:os'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** A thread may take this many times its CPU limit by the clock, because other processes use the machine too. */
export const maxSlowdown = 20

/**
 * Calls `onExceeded` once when the thread has used `limitMs` of CPU time from now on, or has taken `limitMs *
 * maxSlowdown` by the clock.
 * @returns ends the limit
 */
export function limitThreadCpu(thread: Pick<Worker, 'cpuUsage'>, limitMs: number, onExceeded: () => void): () => void {
  let cpuTimer: NodeJS.Timeout | undefined
  let hasEnded = false
  const end = (): void => {
    hasEnded = true
    clearTimeout(cpuTimer)
    clearTimeout(clockTimer)
  }
  const exceed = (): void => {
    if (hasEnded) return
    end()
    onExceeded()
  }
  const clockTimer = setTimeout(exceed, limitMs * maxSlowdown)
  const usedBefore = cpuMsOf(thread)
  const wait = (ms: number): void => {
    cpuTimer = setTimeout(() => void check(), Math.ceil(ms))
  }
  const check = async (): Promise<void> => {
    const [before, now] = await Promise.all([usedBefore, cpuMsOf(thread)])
    if (hasEnded) return
    const leftMs = limitMs - (now - before)
    if (leftMs <= 0) exceed()
    else wait(leftMs)
  }
  wait(limitMs)
  return end
}

/** CPU time that a thread has used, ms; 0 for one that does not run yet or any more. */
async function cpuMsOf(thread: Pick<Worker, 'cpuUsage'>): Promise<number> {
  try {
    const { user, system } = await thread.cpuUsage()
    return (user + system) / 1000
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_NOT_RUNNING') return 0
    throw error
  }
}

const { PRIORITY_BELOW_NORMAL: lower } = constants.priority

/**
 * Has whatever else wants a processor go first (nice 10, of this thread and those that it starts from now on): of
 * what answers the statements of strangers, so that the explorer and the head of the chain stay fast however many
 * ask. A machine with idle processors is as fast as before.
 */
export function yieldToOthers(): void {
  if (getPriority() < lower) setPriority(lower)
}

/**
 * Both halves together. Blocks live for milliseconds here, so a larger one only means that they wait longer to be
 * freed.
 */
const limitBytes = 16 * 1024 * 1024
const checkEveryMs = 50

/**
 * Keeps V8's young generation at about 16 MiB, where it would grow to 64: what an ingester allocates is garbage within
 * milliseconds, and until it is collected the buffers that hang on it take three times the room (docs/decisions.md).
 * The same as `--max-semi-space-size=8` for a program that is started without it: the factor by which V8 enlarges the
 * young generation is read each time it does, so setting it to 1 stops the growth where it is.
 * @returns how to stop waiting for the limit
 */
export function limitYoungGeneration(): () => void {
  const timer = setInterval(() => {
    const size = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0
    if (size < limitBytes) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, checkEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}
