import type { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { parseParameters } from '../../platform/http/parse-input.ts'
import type { Answer, Route } from '../../platform/http/route.ts'
import { integerParameter } from '../parameters.ts'
import { isList } from './pages.ts'
import type { List } from './pages.ts'

const maxOffset = 500
/** Pages of filtered lists may be short. */
const maxPages = 10

const offset = integerParameter(0, maxOffset)
  .optional()
  .describe(`Items to skip, for clients of the Flow explorer API; at most ${maxOffset}. Use \`cursor\` instead.`)

/** Lets clients of the Flow explorer API read the first pages of a list by `offset`. */
export function answerOffset<Services>(route: Route<Services>): Route<Services> {
  const { shape } = route.query
  if (!('cursor' in shape) || !('limit' in shape) || !isList(route.response)) return route
  const largestPage = (shape['limit'] as z.ZodType).safeParse('100').success ? 100 : 20
  return {
    ...route,
    query: route.query.extend({ offset }),
    run: async (request, services) => {
      const query = new URLSearchParams(request.query)
      query.delete('offset')
      const run = (): Promise<Answer<unknown>> => route.run({ ...request, query }, services)
      const limit = query.get('limit')
      let rest = parseOffset(request.query)
      if (rest === 0 || (query.get('cursor') ?? '') !== '') return run()
      // Below, the route reads pages of another limit, and none with the given one if the list ends before.
      parseParameters(route, request.params, query)
      for (let pages = 0; rest > 0; pages++) {
        if (pages === maxPages) throw tooFar()
        query.set('limit', String(Math.min(rest, largestPage)))
        const answer = await run()
        const body = answer.body as List<unknown>
        rest -= body.data.length
        if (!body.has_more) {
          const data = body.data.slice(0, 0)
          return { ...answer, body: { ...body, data, _meta: { ...body._meta, count: 0 } } }
        }
        query.set('cursor', body.cursor)
      }
      if (limit === null) query.delete('limit')
      else query.set('limit', limit)
      return run()
    },
  }
}

function parseOffset(query: URLSearchParams): number {
  const { success, data } = offset.safeParse(query.get('offset') ?? undefined)
  if (!success) throw tooFar()
  return data ?? 0
}

function tooFar(): ApiError {
  return new ApiError(
    400,
    'invalid-parameter',
    `Parameter "offset" must be a whole number from 0 to ${maxOffset}. Pass the \`cursor\` of the previous page to ` +
      'read further.',
    { field: 'offset' },
  )
}
