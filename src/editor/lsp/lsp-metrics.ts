import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'

/** Figures of the channel. A process has one channel at a time; another one of the same process goes on with the same figures. */
export class LspMetrics {
  readonly connections: Gauge
  readonly documents: Gauge<'network'>
  readonly restarts: Counter<'network' | 'reason'>
  readonly setAside: Counter<'network'>
  readonly requestSeconds: Histogram<'network' | 'method' | 'outcome'>
  readonly closed: Counter<'reason'>

  constructor(registry: Registry) {
    const registers = [registry]
    const known = <T>(name: string, make: () => T): T => (registry.getSingleMetric(name) as T | undefined) ?? make()
    this.connections = known(
      'flowfarm_lsp_connections',
      () =>
        new Gauge({
          name: 'flowfarm_lsp_connections',
          help: 'Open connections of the language server channel.',
          registers,
        }),
    )
    this.documents = known(
      'flowfarm_lsp_documents',
      () =>
        new Gauge({
          name: 'flowfarm_lsp_documents',
          help: 'Documents that clients of the channel have open.',
          labelNames: ['network'],
          registers,
        }),
    )
    this.restarts = known(
      'flowfarm_lsp_restarts_total',
      () =>
        new Counter({
          name: 'flowfarm_lsp_restarts_total',
          help: 'Language servers that were lost, by why: ended, hang, memory, start.',
          labelNames: ['network', 'reason'],
          registers,
        }),
    )
    this.setAside = known(
      'flowfarm_lsp_set_aside_total',
      () =>
        new Counter({
          name: 'flowfarm_lsp_set_aside_total',
          help: 'Documents that were set aside because the language server ended on them.',
          labelNames: ['network'],
          registers,
        }),
    )
    this.requestSeconds = known(
      'flowfarm_lsp_request_seconds',
      () =>
        new Histogram({
          name: 'flowfarm_lsp_request_seconds',
          help: 'Time of requests to the language server: answered, failed, cancelled, timeout, lost (it ended).',
          labelNames: ['network', 'method', 'outcome'],
          buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30],
          registers,
        }),
    )
    this.closed = known(
      'flowfarm_lsp_closed_total',
      () =>
        new Counter({
          name: 'flowfarm_lsp_closed_total',
          help: 'Connections that the channel ended: slow, silent, too-large.',
          labelNames: ['reason'],
          registers,
        }),
    )
  }
}
