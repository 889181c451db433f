import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { addRederiveRequest } from '../../farm/leases/requests.ts'
import { heightField, requireHeights, workerField } from '../http/inputs.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { requireWorkers } from '../operator-parts.ts'

/** `POST /rederive`: has a range derived again by some workers and by all that follow them, before other history. */
export const rederiveRoute = operatorRoute({
  method: 'POST',
  path: '/rederive',
  body: z.strictObject(
    {
      from: heightField,
      to: heightField,
      workers: z.array(workerField, 'must be a list of workers').min(1, 'must name at least one worker'),
    },
    'must be an object',
  ),
  handler: async ({ body: { from, to, workers } }, parts) => {
    requireWorkers(parts, workers, 'workers')
    requireHeights({ from, to }, 'invalid-field')
    const {
      overview: { stored },
    } = await parts.feed.current()
    if (stored === null || from < stored.from || to > stored.to) {
      const what =
        stored === null
          ? 'Nothing is stored yet'
          : `Stored are the heights from ${stored.from} up to ${stored.to}, which is not included`
      const field = stored !== null && from >= stored.from ? 'to' : 'from'
      throw new ApiError(400, 'range-not-stored', `${what}: only stored heights can be derived again.`, { field })
    }
    const all = parts.plans.filter(({ kind }) => kind === 'worker')
    const { reopened } = await addRederiveRequest(parts.pool, all, workers, { from, to })
    parts.log.info({ action: 'rederive', from, to, workers: reopened }, 'an operator has a range derived again')
    parts.feed.wake()
    return { workers: reopened }
  },
})
