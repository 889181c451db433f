import type { PoolOptions } from './pool.ts'

/**
 * For the pools of all services. A half-open connection is to be noticed within 30 s: one that is used after the answer
 * time-out, one that is idle by being closed before long. The server gives up a statement first, so that what takes too
 * long is told from a dead link.
 */
export const connectionLimits = {
  statementTimeoutMs: 17_000,
  lockTimeoutMs: 15_000,
  idleInTransactionTimeoutMs: 15_000,
  answerTimeoutMs: 20_000,
  idleTimeoutMs: 5000,
} as const satisfies PoolOptions

/** For statements that are short by their nature and that others wait for: claims of leases and signs of life. */
export const shortStatementLimits = {
  statementTimeoutMs: 10_000,
  lockTimeoutMs: 8000,
  idleInTransactionTimeoutMs: 10_000,
  answerTimeoutMs: 12_000,
  idleTimeoutMs: 5000,
} as const satisfies PoolOptions
