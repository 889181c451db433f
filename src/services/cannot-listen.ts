import { asError, FatalError } from '../base/errors.ts'
import { portUser } from './port-user.ts'

/** Explains why a server cannot listen, and names the variable to change. @param variable of the port */
export function cannotListen(
  error: unknown,
  { variable, port, host }: { readonly variable: string; readonly port: number; readonly host: string },
): Error {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  const user = code === 'EADDRINUSE' ? portUser(port) : undefined
  const reasons: Record<string, string> = {
    EADDRINUSE: `${variable} ${port} is in use by ${user ?? 'another program'}. Stop it, or choose another ${variable} (${variable}=0 picks a free port).`,
    EACCES: `${variable} ${port} may not be used by this user: choose one above 1023, such as ${variable}=${unprivileged(port)}, or let all have it: sysctl net.ipv4.ip_unprivileged_port_start=${port}.`,
    EADDRNOTAVAIL: `HOST ${host} is no address of this machine.`,
    ENOTFOUND: `HOST ${host} is not known.`,
  }
  const reason = reasons[code]
  return reason === undefined ? asError(error) : new FatalError('cannot-listen', reason, { cause: error })
}

function unprivileged(port: number): number {
  return port === 80 ? 8000 : 8000 + port
}
