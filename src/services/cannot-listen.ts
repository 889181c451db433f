import { asError, FatalError } from '../base/errors.ts'

/** What the system calls the ways in which a port cannot be had, in words that name the variable. @param variable of the port */
export function cannotListen(error: unknown, { variable, port, host }: { readonly variable: string; readonly port: number; readonly host: string }): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `${variable} ${port} is in use by another program: stop that one, or choose another ${variable} (0 picks a free one).`,
    EACCES: `${variable} ${port} may not be used by this user: choose one above 1023, such as ${variable}=${unprivileged(port)}, or let all have it: sysctl net.ipv4.ip_unprivileged_port_start=${port}.`,
    EADDRNOTAVAIL: `HOST ${host} is no address of this machine.`,
    ENOTFOUND: `HOST ${host} is not known.`,
  }
  const reason = reasons[(error as NodeJS.ErrnoException).code ?? '']
  return reason === undefined ? asError(error) : new FatalError('cannot-listen', reason, { cause: error })
}

function unprivileged(port: number): number {
  return port === 80 ? 8000 : 8000 + port
}
