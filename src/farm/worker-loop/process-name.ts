import { hostname } from 'node:os'

/** Names this process among all that ever worked on the database: host, process id, time of its start in base 36. */
export function processName(): string {
  return `${hostname()}:${process.pid}:${Math.round(performance.timeOrigin).toString(36)}`
}
