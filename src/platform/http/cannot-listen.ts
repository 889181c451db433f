import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { asError, FatalError } from '../errors.ts'

/** @param variable setting with the port */
export function cannotListen(
  error: unknown,
  { variable, port, host }: { readonly variable: string; readonly port: number; readonly host: string },
): Error {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const user = code === 'EADDRINUSE' ? portUser(port) : undefined
  const reasons: Record<string, string> = {
    EADDRINUSE:
      `${variable} ${port} is in use by ${user ?? 'another program'}. Stop it, or choose another ` +
      `${variable} (${variable}=0 picks a free port).`,
    EACCES:
      `${variable} ${port} requires privileges. Use a port above 1023, such as ` +
      `${variable}=${unprivileged(port)}, or allow it for all users: sysctl ` +
      `net.ipv4.ip_unprivileged_port_start=${port}.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `HOST ${host} cannot be resolved.`,
  }
  const reason = reasons[code]
  return reason === undefined ? asError(error) : new FatalError('cannot-listen', reason, { cause: error })
}

function unprivileged(port: number): number {
  return port === 80 ? 8000 : 8000 + port
}

/** State of a listening socket in `/proc/net/tcp`. */
const listening = '0A'
const maxNameLength = 60

/**
 * The program that listens on a TCP port; undefined without `/proc` or for a process of another
 * user.
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
