import { readdir, readFile } from 'node:fs/promises'
import { runVariable } from '../world/child-program.ts'

/** Processes that have the run's name in their environment, this one excepted: none after a run. */
export async function leftOverProcesses(run: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) continue
    try {
      const environment = await readFile(`/proc/${entry}/environ`, 'latin1')
      if (environment.split('\0').includes(`${runVariable}=${run}`)) {
        found.push(`${entry}: ${(await readFile(`/proc/${entry}/cmdline`, 'latin1')).replaceAll('\0', ' ')}`)
      }
    } catch (error) {
      // It has ended, or belongs to another user.
      if (!['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
  return found
}
