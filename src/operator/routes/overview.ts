import { operatorRoute } from '../http/operator-route.ts'

/** `GET /overview`: how far everything is. */
export const overviewRoute = operatorRoute({
  method: 'GET',
  path: '/overview',
  handler: async (_input, { feed }) => (await feed.current()).overview,
})
