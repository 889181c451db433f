import { z } from 'zod'
import { listFailingHeights, retryHeights, skipHeight } from '../../farm/leases/coverage.ts'
import { heightField, numberParameter, requireHeights } from '../http/inputs.ts'
import { operatorRoute } from '../http/operator-route.ts'
import type { OperatorRoute } from '../http/operator-route.ts'

const listRoute = operatorRoute({
  method: 'GET',
  path: '/heights',
  query: z.object({ limit: numberParameter(1, 500).default(50) }),
  handler: async ({ query }, { pool }) => listFailingHeights(pool, query.limit),
})

const skipRoute = operatorRoute({
  method: 'POST',
  path: '/heights/skip',
  body: z.strictObject({ height: heightField }, 'must be an object'),
  handler: async ({ body: { height } }, { pool, log, feed }) => {
    await skipHeight(pool, height)
    log.warn({ action: 'skip height', height }, 'an operator skips a height that no access node serves')
    feed.wake()
  },
})

const retryRoute = operatorRoute({
  method: 'POST',
  path: '/heights/retry',
  body: z.strictObject({ from: heightField, to: heightField }, 'must be an object'),
  handler: async ({ body }, { pool, log, feed }) => {
    requireHeights(body, 'invalid-field')
    const heights = await retryHeights(pool, body)
    log.info(
      { action: 'retry heights', ...body, retried: heights.length },
      'an operator has unavailable heights fetched again',
    )
    feed.wake()
    return { retried: heights.length }
  },
})

/** Heights that access nodes do not serve: those that ingestion waits for, and those that were given up. */
export const heightRoutes: readonly OperatorRoute[] = [listRoute, skipRoute, retryRoute]
