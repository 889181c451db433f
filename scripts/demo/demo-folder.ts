import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folderPrefix = 'flowfarm-demo-'

/**
 * How long the end of the process waits for the removal of its folder, ms. A busy disk takes half a minute for the
 * thousands of files of a database; the removal then continues in the background.
 */
const maxRemovalMs = 700
const pollMs = 20

/** A folder for the demo's database, which is removed when this process ends, also where the end is cut short. */
export function makeDemoFolder(): string {
  sweep()
  const folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  process.on('exit', () => removeFolder(folder, maxRemovalMs))
  return folder
}

/** Starts to remove what demos left that were killed (SIGKILL). Folders of other users remain. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(folderPrefix) ? Number(name.slice(folderPrefix.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(pid) && !isAlive(pid)) startRemoval(join(tmpdir(), name))
  }
}

/** Removes a folder, and returns after `maxMs` while the removal continues in a process of its own. */
export function removeFolder(folder: string, maxMs: number): void {
  startRemoval(folder)
  const giveUpAt = performance.now() + maxMs
  while (existsSync(folder) && performance.now() < giveUpAt)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs)
}

/** Repeats a failed removal: a database server that was not stopped in time still writes files for some seconds. */
function startRemoval(folder: string): void {
  const script = 'for pause in 1 2 4 8; do rm -rf -- "$1" && exit; sleep "$pause"; done'
  spawn('/bin/sh', ['-c', script, 'sh', folder], { detached: true, stdio: 'ignore' }).unref()
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
