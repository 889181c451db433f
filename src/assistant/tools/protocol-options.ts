import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'

/** What both tool servers are given. */
export interface ToolServerBasics {
  /** Of the program, as clients show it. */
  readonly version: string
  readonly log: Logger
  readonly metrics: Metrics
}

/** What is listed changes only with the program and its settings. */
const listed = { ttlMs: 300_000, cacheScope: 'public' } as const
export const listHints = { 'server/discover': listed, 'tools/list': listed } as const

/** Nobody is told of changes, since there are none. */
export const onlyTools = { tools: { listChanged: false } } as const
