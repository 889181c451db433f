import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'

/** State of a listening socket in `/proc/net/tcp`. */
const listening = '0A'
const maxNameLength = 60

/**
 * The program that listens on a TCP port, such as `node scripts/demo.ts (process 4711)`.
 * @returns `undefined` where the system does not say: no `/proc`, or the program of another user
 */
export function portUser(port: number): string | undefined {
  const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listenersOn(port, table)))
  if (sockets.size === 0) return undefined
  const pid = list('/proc').find(
    (name) =>
      /^\d+$/.test(name) &&
      list(`/proc/${name}/fd`).some((fd) => sockets.has(attempt(() => readlinkSync(`/proc/${name}/fd/${fd}`)) ?? '')),
  )
  if (pid === undefined) return undefined
  const [program = '', argument = ''] = (attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').split('\0')
  const name = `${basename(program)} ${argument}`
    .replaceAll(/[^\x20-\x7E]/g, '')
    .trim()
    .slice(0, maxNameLength)
  return `${name === '' ? 'a program' : name} (process ${pid})`
}

function listenersOn(port: number, table: string): string[] {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  return (attempt(() => readFileSync(table, 'utf8')) ?? '')
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const fields = line.trim().split(/\s+/)
      return fields[1]?.endsWith(`:${hexPort}`) === true && fields[3] === listening
        ? [`socket:[${fields[9] ?? ''}]`]
        : []
    })
}

function list(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? []
}

/** Processes end while they are read, and those of other users cannot be read. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (
      ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ESRCH', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')
    )
      return undefined
    throw error
  }
}
