import { noParameters } from '../../parameters/parameters.ts'
import { clientLogSchema, items, itemsOf, presentClientLog } from '../../presenters/webhook-client.ts'
import { presentUsage, usageSchema } from '../../presenters/webhooks.ts'
import { defineRoute } from '../../route.ts'
import { usageExample } from '../webhook-usage.ts'
import { ownerProblems, webhooksOf } from '../webhook-owner.ts'
import { pageParameters, tag } from './common.ts'

const list = defineRoute({
  path: '/api/v1/logs',
  operationId: 'clientListLogs',
  tag,
  access: 'owner',
  errorForm: 'message',
  summary: 'What was posted to your endpoints, the newest first',
  params: noParameters,
  query: pageParameters,
  response: itemsOf(clientLogSchema, 'ClientLog'),
  example: {
    items: [
      {
        id: 'msg_21_3',
        subscription_id: '21',
        endpoint_id: '7',
        event_type: 'ft.transfer',
        payload: { type: 'ft.transfer' },
        status_code: 200,
        delivered_at: '2025-07-01T12:00:01.310Z',
      },
    ],
    count: 1,
  },
  problems: ownerProblems,
  handler: async ({ apiKey, bearer, query }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return { body: items((await stores.deliveries.log(owner, query)).map(presentClientLog)), caching: 'never' }
  },
})

const usage = defineRoute({
  path: '/api/v1/account/usage',
  operationId: 'clientGetUsage',
  tag,
  access: 'owner',
  errorForm: 'message',
  summary: 'What you have, of what your tier allows',
  params: noParameters,
  query: noParameters,
  response: usageSchema,
  example: usageExample,
  problems: ownerProblems,
  handler: async ({ apiKey, bearer }, services) => {
    const { owner, stores } = await webhooksOf({ apiKey, bearer }, services)
    return { body: presentUsage(await stores.overview.usage(owner), owner.tier), caching: 'never' }
  },
})

/** The log and the limits, as clients of the Flow explorer's webhooks ask for them. */
export const clientLogRoutes = [list, usage]
