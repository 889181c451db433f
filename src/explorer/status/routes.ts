import { z } from 'zod'
import { timestampFormat } from '../formats.ts'
import { flagParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { readHtmlPage } from '../../platform/pages/serve-page.ts'
import { indexingStatusSchema } from './schema.ts'

const health = defineRoute({
  path: '/health',
  operationId: 'getHealth',
  isLimited: false,
  tag: 'Service',
  summary: 'Health of the service',
  description: 'The database is checked every second in the background, not by this request.',
  response: z
    .strictObject({
      status: z.enum(['ok', 'unavailable']),
      checked_at: timestampFormat.nullable().describe('Time of the last database check; null before the first.'),
    })
    .meta({ id: 'Health' }),
  alternatives: { 503: 'The database is unavailable.' },
  example: { status: 'ok', checked_at: '2025-07-01T12:00:01.250Z' },
  handler: (_input, { health: check }) => {
    const { isAlive, ageMs } = check()
    const checkedAt = Number.isFinite(ageMs) ? new Date(Date.now() - ageMs).toISOString() : null
    return isAlive
      ? { body: { status: 'ok' as const, checked_at: checkedAt }, caching: 'never' }
      : { body: { status: 'unavailable' as const, checked_at: checkedAt }, status: 503, caching: 'never' }
  },
})

const status = defineRoute({
  path: '/status',
  operationId: 'getStatus',
  cost: ['include_ranges'],
  tag: 'Service',
  summary: 'Indexing status',
  query: z.object({ include_ranges: flagParameter('Include the stored height ranges.') }),
  response: indexingStatusSchema,
  example: {
    chain_id: 'flow-mainnet',
    latest_height: 118542743,
    indexed_height: 118542741,
    history_height: 117000000,
    min_height: 117000000,
    max_height: 118542741,
    total_blocks: 1542742,
    total_transactions: 4128770,
    total_events: 61930211,
    total_addresses: 812345,
    total_contracts: 0,
    progress: '99.99%',
    behind: 2,
    status: 'ok',
    start_height: 117000000,
    checkpoints: { main_ingester: 118542741, history_ingester: 117000000, token_worker: 118542740 },
    checkpoint_timestamps: {
      main_ingester: '2025-07-01T12:00:01.000Z',
      history_ingester: '2025-07-01T12:00:00.900Z',
      token_worker: '2025-07-01T12:00:01.100Z',
    },
    forward_enabled: true,
    history_enabled: true,
    worker_enabled: { main_ingester: true, history_ingester: true, token_worker: true, evm_worker: false },
    worker_config: {
      main_ingester: { workers: null, batch_size: null },
      history_ingester: { workers: 20, batch_size: null },
      token_worker: { concurrency: 1, range: 1000 },
    },
    oldest_block_timestamp: '2025-06-11T02:10:00.000Z',
    error_summary: {
      unresolved_errors: 0,
      dead_leases: 1,
      errors_by_worker: {},
      dead_leases_by_worker: { token_worker: 1 },
    },
    generated_at: '2025-07-01T12:00:01.250Z',
  },
  handler: async ({ query }, services) => ({
    body: await services.status(services.database, { includeRanges: query.include_ranges }),
    caching: 'never',
  }),
})

const metrics = defineRoute({
  path: '/metrics',
  operationId: 'getMetrics',
  isLimited: false,
  tag: 'Service',
  summary: 'Prometheus metrics of this process, at most a second old',
  response: z.string(),
  contentType: 'text/plain; version=0.0.4; charset=utf-8',
  example: '# TYPE flowfarm_feed_clients gauge\nflowfarm_feed_clients{feed="live"} 3\n',
  handler: async (_input, services) => ({ body: await services.metrics.recentText(), caching: 'never' }),
})

export const serviceRoutes = [health, status, metrics]

const startPage = readHtmlPage('start')

const start = defineRoute({
  path: '/',
  operationId: 'getStart',
  isLimited: false,
  tag: 'Service',
  summary: 'Start page with the indexing status and the latest blocks',
  response: z.string(),
  contentType: 'text/html; charset=utf-8',
  example: '<!doctype html>',
  handler: () => ({ body: startPage.html, headers: startPage.headers }),
})

export const pageRoutes = [start]
