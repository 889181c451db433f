import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folderPrefix = 'flowfarm-demo-'

/** In the folder: endpoint of the node, for commands. */
export const accessNodeFile = 'access-node'

/** Ms; then the removal continues in the background. */
const maxRemovalMs = 700
const pollMs = 20

export function makeDemoFolder(): string {
  sweep()
  const folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  process.on('exit', () => removeFolder(folder, maxRemovalMs))
  return folder
}

function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(folderPrefix) ? Number(name.slice(folderPrefix.length).split('-')[0]) : Number.NaN
    if (Number.isInteger(pid) && !isAlive(pid)) startRemoval(join(tmpdir(), name))
  }
}

export function removeFolder(folder: string, maxMs: number): void {
  startRemoval(folder)
  const giveUpAt = performance.now() + maxMs
  while (existsSync(folder) && performance.now() < giveUpAt)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs)
}

/** A database server may still write files for some seconds. */
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
