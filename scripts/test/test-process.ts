import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
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

/**
 * Runs a test process with a folder of its own for temporary files. A signal ends it at once, with all processes below it: tests start
 * programs, browsers and database servers, which must not outlive the run. The folder is removed in any case.
 * @param start starts the process, in a process group of its own (`detached`) and with this environment
 */
export async function runTestProcess(start: (environment: NodeJS.ProcessEnv) => ChildProcess): Promise<TestProcessEnd> {
  const folder = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`))
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
  for (const name of readdirSync(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (Number.isNaN(pid) || processesBelow(pid).length > 0) continue
    rmSync(join(tmpdir(), name), { recursive: true, force: true, maxRetries: 10 })
  }
}
