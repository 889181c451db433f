import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endProcesses, processesBelow } from './process-tree.ts'

export interface TestProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly isStopped: boolean
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const prefix = 'flowfarm-tests-'

const memoryFolder = '/dev/shm'
/** Three lanes with databases need about 2 GiB. */
const minMemoryBytes = 6 * 2 ** 30

/**
 * In its own temporary folder. A signal ends the whole process tree. @param start in its own
 * process group (`detached`)
 */
export async function runTestProcess(start: (environment: NodeJS.ProcessEnv) => ChildProcess): Promise<TestProcessEnd> {
  const folder = mkdtempSync(join(temporaryFolder(), `${prefix}${process.pid}-`))
  // As root, embedded servers run as another user.
  chmodSync(folder, 0o1777)
  // Compiler and linter are Go programs, and end before they need the memory that is collected.
  const child = start({ ...process.env, TMPDIR: folder, GOGC: '400' })
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

export function removeAbandonedFolders(): void {
  const parent = temporaryFolder()
  for (const name of readdirSync(parent)) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (Number.isNaN(pid) || processesBelow(pid).length > 0) continue
    rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

/** In memory if possible: tests create about 900 databases of 900 files each, slow on ext4. */
function temporaryFolder(): string {
  if (process.env['TMPDIR'] !== undefined) return tmpdir()
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    return bavail * bsize >= minMemoryBytes ? memoryFolder : tmpdir()
  } catch {
    // Linux only.
    return tmpdir()
  }
}

export function isCi(): boolean {
  return (process.env['CI'] ?? '') !== ''
}
