import { z } from 'zod'
import { clearDrills } from '../../farm/drills/clear-drills.ts'
import { setDrill } from '../../farm/drills/set-drill.ts'
import { heightField, requireHeights, workerField } from '../http/inputs.ts'
import { operatorRoute } from '../http/operator-route.ts'
import type { OperatorRoute } from '../http/operator-route.ts'
import { requireWorkers } from '../operator-parts.ts'

const setRoute = operatorRoute({
  method: 'POST',
  path: '/drills',
  body: z.strictObject({
    worker: workerField, from: heightField, to: heightField,
    reason: z.string('must be a text').max(2000, 'must have at most 2000 characters').optional(),
  }, 'must be an object'),
  handler: async ({ body }, parts) => {
    requireWorkers(parts, [body.worker], 'worker')
    requireHeights(body, 'invalid-field')
    await setDrill(parts.pool, body)
    parts.log.warn({ action: 'set drill', ...body }, 'an operator makes a worker fail')
    parts.feed.wake()
  },
})

const clearRoute = operatorRoute({
  method: 'DELETE',
  path: '/drills',
  body: z.strictObject({ worker: workerField }, 'must be an object'),
  handler: async ({ body: { worker } }, parts) => {
    requireWorkers(parts, [worker], 'worker')
    await clearDrills(parts.pool, worker)
    parts.log.info({ action: 'clear drill', worker }, 'an operator ended a drill')
    parts.feed.wake()
  },
})

/** Faults set on purpose, to see what the farm does with a worker that fails. */
export const drillRoutes: readonly OperatorRoute[] = [setRoute, clearRoute]
