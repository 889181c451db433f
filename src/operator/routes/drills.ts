import { z } from 'zod'
import { clearDrills, setDrill } from '../../farm/drills.ts'
import { ApiError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { heightField, requireHeights, wholeNumber, workerField } from '../http/inputs.ts'
import { operatorRoute } from '../http/operator-route.ts'
import type { OperatorRoute } from '../http/operator-route.ts'
import { requireWorkers } from '../operator-parts.ts'
import type { OperatorParts } from '../operator-parts.ts'

/** How far above the head a drill of so many blocks begins: no worker may reach its heights before it is set. */
const leadBlocks = 10
const maxBlocks = 10_000

const setBody = z.strictObject(
  {
    worker: workerField,
    reason: z.string('must be a text').max(2000, 'must have at most 2000 characters').optional(),
    from: heightField.optional(),
    to: heightField.optional(),
    blocks: wholeNumber(1, maxBlocks).optional(),
  },
  'must be an object',
)

const setRoute = operatorRoute({
  method: 'POST',
  path: '/drills',
  body: setBody,
  handler: async ({ body }, parts) => {
    requireWorkers(parts, [body.worker], 'worker')
    const drill = { worker: body.worker, reason: body.reason, ...(await heightsOf(body, parts)) }
    await setDrill(parts.pool, drill)
    parts.log.warn({ action: 'set drill', ...drill }, 'an operator makes a worker fail')
    parts.feed.wake()
  },
})

/** The given heights, or so many to come: above the head of this moment, not above the one that the operator saw. */
async function heightsOf(
  { from, to, blocks }: z.output<typeof setBody>,
  { feed }: OperatorParts,
): Promise<HeightRange> {
  if (from !== undefined && to !== undefined && blocks === undefined) {
    requireHeights({ from, to }, 'invalid-field')
    return { from, to }
  }
  if (blocks === undefined || from !== undefined || to !== undefined) {
    throw new ApiError(400, 'invalid-field', 'A drill needs either "from" and "to" or "blocks".', { field: 'blocks' })
  }
  feed.wake()
  const { head, stored } = (await feed.current()).overview
  const first = Math.max(head ?? 0, stored === null ? 0 : stored.to - 1) + leadBlocks
  return { from: first, to: first + blocks }
}

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
