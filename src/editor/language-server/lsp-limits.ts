import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

/** Time and timers; tests set it by hand. */
export interface Clock {
  /** ms since 1970; never goes back. */
  readonly now: () => number
  /** Runs something after so long, ms. @returns what cancels it */
  readonly after: (ms: number, run: () => void) => () => void
}

/** Monotonic: setting the machine's clock ends no pause. */
export const machineClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** What one connection, and all together, may take of the channel. */
export interface LspLimits {
  /** Connections in all. */
  readonly connections: number
  /** Connections of one address, or one network of IPv6; this machine is not limited. */
  readonly connectionsPerAddress: number
  /** Bytes of a client's message. Up to twice as many are refused; more end the connection. */
  readonly messageBytes: number
  /** Bytes of a message of the language server; a larger one counts as a crash. */
  readonly serverMessageBytes: number
  readonly documentsPerConnection: number
  /** Bytes (UTF-8) of a document. The CLI's checker takes quadratic time: 1 MiB takes longer than `hangMs`. */
  readonly documentBytes: number
  /** Bytes of all documents of a connection. */
  readonly connectionBytes: number
  /** Bytes of all documents of one address, and of all there are: what is held in memory is up to six times as much. */
  readonly addressBytes: number
  readonly allBytes: number
  /** Requests of a connection that the language server has not answered; cancelled ones count until it has. */
  readonly requestsPerConnection: number
  /** Contracts that the documents of a connection may have fetched. */
  readonly contractsPerConnection: number
  /** Contracts that an address may have fetched in ten minutes over all connections. */
  readonly contractsPerAddress: number
  /**
   * Units of work (`workUnits`) that a connection may cause a second, on average over five seconds. A connection that
   * causes more is read more slowly.
   */
  readonly workPerSecond: number
  /** The same for all connections of one address, or one network of IPv6, together. */
  readonly addressWorkPerSecond: number
  /** Bytes of messages of a connection that wait for their turn; with more the socket is not read. */
  readonly waitingBytes: number
  /** Bytes that may wait for a client that does not read; with more its connection is closed with 1013. */
  readonly unreadBytes: number
  /** Projects whose deployments a connection hears of. */
  readonly deploySubscriptions: number
  /** Bytes of memory of a language server's process (resident); with more it is started again. 0 is no limit. */
  readonly serverMemoryBytes: number

  /** How long a socket may be open without a word before it asks for anything, ms. */
  readonly silentMs: number
  /** Pause between pings of a client, ms; who answers none until the next is gone. */
  readonly pingMs: number
  /** How long an answer to `init` may take, ms. */
  readonly initMs: number
  /** How long the answer to a request may take, ms. */
  readonly requestMs: number
  /** How long a language server may take to start, ms. */
  readonly startMs: number
  /** A language server that answers nothing for so long is killed, ms. */
  readonly hangMs: number
  /** How often a server that has something to do is asked whether it is there, ms. */
  readonly probeMs: number
  /** How long diagnostics of a document that is tried alone are waited for, ms. */
  readonly settleMs: number
  /** The process ends when no connection was there for so long, ms. */
  readonly idleMs: number
  /** First and longest pause before a start after a crash, ms. */
  readonly backoffMs: number
  readonly longestBackoffMs: number
  /** After so long without a crash the pause is short again, ms. */
  readonly stableMs: number
  /** Crashes of language servers that a client may cause at once, and how long until it may cause one more, ms. */
  readonly crashesPerClient: number
  readonly crashRefillMs: number
  /** How long a document that crashes servers is set aside, ms; each further time doubles it up to the longest. */
  readonly crashPauseMs: number
  readonly maxCrashPauseMs: number
  /** After so long without a crash a document is trusted as before, ms. */
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

/** Metrics of the channel. */
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
    this.documents = gauge('documents', 'Documents that clients of the channel have open.', ['network'])
    this.restarts = counter('restarts_total', 'Language servers that were lost, by why: ended, hang, memory, start.', [
      'network',
      'reason',
    ])
    this.setAside = counter(
      'set_aside_total',
      'Documents that were set aside because the language server ended on them.',
      ['network'],
    )
    this.closed = counter('closed_total', 'Connections that the channel ended: slow, silent, too-large.', ['reason'])
    this.requestSeconds = known(
      'request_seconds',
      (name) =>
        new Histogram({
          name,
          help: 'Time of requests to the language server: answered, failed, cancelled, timeout, lost (it ended).',
          labelNames: ['network', 'method', 'outcome'],
          buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
          registers,
        }),
    )
  }
}
