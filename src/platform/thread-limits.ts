import type { Worker } from 'node:worker_threads'
import { constants, getPriority, setPriority } from 'node:os'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Wall-clock limit as a multiple of the CPU limit. */
export const maxSlowdown = 20

/**
 * Limits CPU time from now, and wall-clock time to `limitMs * maxSlowdown`.
 * @returns cancels the limit
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

/** 0 if the thread does not run. */
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
 * Nice 10, also for later children: untrusted SQL must not slow down the explorer and ingestion.
 */
export function lowerPriority(): void {
  if (getPriority() < lower) setPriority(lower)
}

/** For children that work for one user. Ignored if the child has ended or has a lower priority. */
export function lowerPriorityOf({ pid }: { readonly pid?: number | undefined }): void {
  if (pid === undefined) return
  try {
    setPriority(pid, lower)
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
  }
}

/** Both semi-spaces. Most allocations live for milliseconds. */
const limitBytes = 16 * 1024 * 1024
const checkEveryMs = 50

/**
 * Limits V8's young generation to about 16 MiB instead of 64: garbage of an ingester holds buffers
 * of three times that size (docs/decisions.md). V8 reads the growth factor at each growth, so
 * setting it to 1 stops growth.
 * @returns cancels waiting for the limit
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
