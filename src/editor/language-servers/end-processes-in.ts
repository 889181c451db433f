import { readdir, readlink } from 'node:fs/promises'
import type { Logger } from '../../base/log.ts'

/**
 * Ends the processes that work in a folder or below it: language servers whose parent was killed, and that hang, so that they do not hear that their input
 * has ended. Only Linux tells where processes work; elsewhere nothing is done.
 * @param folder absolute, without links; nothing else may work there
 */
export async function endProcessesIn(folder: string, log: Logger): Promise<void> {
  const names = await readdir('/proc').catch(() => [])
  for (const name of names) {
    const pid = /^\d+$/.test(name) ? Number(name) : process.pid
    if (pid === process.pid) continue
    // Of processes that are gone, or of others, the system tells nothing.
    const place = await readlink(`/proc/${name}/cwd`).catch(() => '')
    if (place !== folder && !place.startsWith(`${folder}/`)) continue
    log.warn({ pid }, 'a language server that a killed process has left is ended')
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      log.warn({ err: error, pid }, 'it could not be ended')
    }
  }
}
