import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folderPrefix = 'flowfarm-demo-'

/** A folder for the demo's database, which is removed when this process ends, also where the end is cut short. */
export function makeDemoFolder(): string {
  sweep()
  const folder = mkdtempSync(join(tmpdir(), `${folderPrefix}${process.pid}-`))
  process.on('exit', () => removeFolder(folder))
  return folder
}

/** Removes what a demo left behind that was killed. */
function sweep(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(folderPrefix) ? Number(name.slice(folderPrefix.length).split('-')[0]) : Number.NaN
    if (!Number.isInteger(pid) || isAlive(pid)) continue
    try {
      removeFolder(join(tmpdir(), name))
    } catch (error) {
      // It belongs to another user.
      if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
