import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

export interface Clock {
  /** Ms since 1970; never goes back. */
  readonly now: () => number
  /** @returns the function that cancels it */
  readonly after: (ms: number, run: () => void) => () => void
}

export const machineClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

export interface LspLimits {
  readonly connections: number
  /** Per client network; this machine is not limited. */
  readonly connectionsPerAddress: number
  /** Larger messages are refused; more than twice this closes the connection. */
  readonly messageBytes: number
  /** Larger messages count as a crash. */
  readonly serverMessageBytes: number
  readonly documentsPerConnection: number
  /** The CLI's checker takes quadratic time: 1 MiB takes longer than `hangMs`. */
  readonly documentBytes: number
  readonly connectionBytes: number
  /** Memory use is up to six times as much. */
  readonly addressBytes: number
  readonly allBytes: number
  /** Unanswered requests, including cancelled ones. */
  readonly requestsPerConnection: number
  readonly contractsPerConnection: number
  /** Contracts in ten minutes. */
  readonly contractsPerAddress: number
  /**
   * Work units per second, averaged over five seconds. Above it the connection is read more slowly.
   */
  readonly workPerSecond: number
  /** Per client network. */
  readonly addressWorkPerSecond: number
  /** Above this limit the socket is not read. */
  readonly waitingBytes: number
  /** Above this limit the connection is closed with 1013. */
  readonly unreadBytes: number
  readonly deploySubscriptions: number
  /** Resident memory; above it the server is restarted. 0: no limit. */
  readonly serverMemoryBytes: number

  readonly silentMs: number
  /** A client that misses a ping is disconnected. */
  readonly pingMs: number
  readonly initMs: number
  readonly requestMs: number
  readonly startMs: number
  readonly hangMs: number
  /** Interval of probes of a busy server. */
  readonly probeMs: number
  /** Timeout of diagnostics of a document that is sent alone. */
  readonly settleMs: number
  readonly idleMs: number
  readonly backoffMs: number
  readonly longestBackoffMs: number
  /** After this time without a crash the pause is short again. */
  readonly stableMs: number
  /** Crashes at once, and the time to regain one, ms. */
  readonly crashesPerClient: number
  readonly crashRefillMs: number
  /** First quarantine of a document; doubles up to the longest. */
  readonly crashPauseMs: number
  readonly maxCrashPauseMs: number
  /** After this time without a crash a document is trusted again. */
  readonly crashMemoryMs: number
}

const mebibyte = 1024 * 1024

export const defaultLspLimits: LspLimits = {
  connections: 2000,
  connectionsPerAddress: 50,
  messageBytes: 4 * mebibyte,
  serverMessageBytes: 32 * mebibyte,
  documentsPerConnection: 500,
  documentBytes: mebibyte / 4,
  connectionBytes: 5 * mebibyte,
  addressBytes: 25 * mebibyte,
  allBytes: 150 * mebibyte,
  requestsPerConnection: 100,
  contractsPerConnection: 200,
  contractsPerAddress: 2000,
  workPerSecond: 200,
  addressWorkPerSecond: 2000,
  waitingBytes: 8 * mebibyte,
  unreadBytes: 8 * mebibyte,
  deploySubscriptions: 20,
  serverMemoryBytes: 2048 * mebibyte,
  silentMs: 15_000,
  pingMs: 30_000,
  initMs: 25_000,
  requestMs: 30_000,
  startMs: 20_000,
  hangMs: 15_000,
  probeMs: 250,
  settleMs: 1000,
  idleMs: 300_000,
  backoffMs: 100,
  longestBackoffMs: 10_000,
  stableMs: 30_000,
  crashesPerClient: 8,
  crashRefillMs: 300_000,
  crashPauseMs: 5000,
  maxCrashPauseMs: 300_000,
  crashMemoryMs: 1_800_000,
}

export class LspMetrics {
  readonly connections: Gauge
  readonly documents: Gauge<'network'>
  readonly restarts: Counter<'network' | 'reason'>
  readonly setAside: Counter<'network'>
  readonly requestSeconds: Histogram<'network' | 'method' | 'outcome'>
  readonly closed: Counter<'reason'>

  constructor(registry: Registry) {
    const registers = [registry]
    const known = <T>(name: string, make: (name: string) => T): T =>
      (registry.getSingleMetric(`flowfarm_lsp_${name}`) as T | undefined) ?? make(`flowfarm_lsp_${name}`)
    const gauge = <L extends string>(name: string, help: string, labelNames: L[]): Gauge<L> =>
      known(name, (full) => new Gauge({ name: full, help, labelNames, registers }))
    const counter = <L extends string>(name: string, help: string, labelNames: L[]): Counter<L> =>
      known(name, (full) => new Counter({ name: full, help, labelNames, registers }))
    this.connections = gauge('connections', 'Open connections of the language server channel.', [])
    this.documents = gauge('documents', 'Open documents of clients.', ['network'])
    this.restarts = counter('restarts_total', 'Lost language servers, by reason: ended, hang, memory, start.', [
      'network',
      'reason',
    ])
    this.setAside = counter('set_aside_total', 'Documents quarantined after crashing the language server.', ['network'])
    this.closed = counter('closed_total', 'Connections closed by the channel: slow, silent, too-large.', ['reason'])
    this.requestSeconds = known(
      'request_seconds',
      (name) =>
        new Histogram({
          name,
          help: 'Duration of language server requests: answered, failed, cancelled, timeout, lost (server ended).',
          labelNames: ['network', 'method', 'outcome'],
          buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
          registers,
        }),
    )
  }
}
