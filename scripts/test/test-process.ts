import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endProcesses, processesBelow } from './process-tree.ts'

/** How a test process ended. */
export interface TestProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Whether this process was sent a signal meanwhile. */
  readonly isStopped: boolean
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const prefix = 'flowfarm-tests-'

const memoryFolder = '/dev/shm'
/** Three lanes with their databases need some 2 GiB. */
const minMemoryBytes = 6 * 2 ** 30

/**
 * Runs a test process with a folder of its own for temporary files. A signal ends it at once, with all processes
 * below it: tests start programs, browsers and database servers, which must not outlive the run. The folder is
 * removed in any case.
 * @param start starts the process, in a process group of its own (`detached`) and with this environment
 */
export async function runTestProcess(start: (environment: NodeJS.ProcessEnv) => ChildProcess): Promise<TestProcessEnd> {
  const folder = mkdtempSync(join(temporaryFolder(), `${prefix}${process.pid}-`))
  // Embedded servers run as another user when the tests run as root.
  chmodSync(folder, 0o1777)
  const child = start({ ...process.env, TMPDIR: folder })
  let stopped: Promise<void> | undefined
  const stop = (): void => {
    if (child.pid !== undefined) stopped ??= endProcesses(child.pid)
  }
  for (const signal of signals) process.on(signal, stop)
  try {
    const end = await new Promise<Pick<TestProcessEnd, 'code' | 'signal'>>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve({ code, signal }))
    })
    await stopped
    return { ...end, isStopped: stopped !== undefined }
  } finally {
    for (const signal of signals) process.off(signal, stop)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Removes the folders of runs that were killed (SIGKILL) before they could remove them. */
export function removeAbandonedFolders(): void {
  const parent = temporaryFolder()
  for (const name of readdirSync(parent)) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (Number.isNaN(pid) || processesBelow(pid).length > 0) continue
    rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

/**
 * Where the folders of runs are: in memory where there is plenty, unless TMPDIR names a place. Tests create and remove
 * some 900 databases of 900 files each, and ext4 looks for each new file among those that were just removed.
 */
function temporaryFolder(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir()
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    return bavail * bsize >= minMemoryBytes ? memoryFolder : tmpdir()
  } catch {
    // Other systems than Linux have no such folder.
    return tmpdir()
  }
}

/** Whether this is a run of continuous integration; every such service sets `CI`. */
export function isCi(): boolean {
  return (process.env['CI'] ?? '') !== ''
}
