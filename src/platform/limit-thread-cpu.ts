import type { Worker } from 'node:worker_threads'

/** A thread may take this many times its CPU limit by the clock, because other processes use the machine too. */
export const maxSlowdown = 20

/**
 * Calls `onExceeded` once when the thread has used `limitMs` of CPU time from now on, or has taken `limitMs * maxSlowdown` by the clock.
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
