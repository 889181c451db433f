import { z } from 'zod'
import { noParameters } from '../parameters/parameters.ts'
import { toApiError } from '../http/problem.ts'
import { defineRoute } from '../route.ts'

const verifyKey = defineRoute({
  method: 'POST',
  path: '/auth/verify-key',
  operationId: 'verifyKey',
  tag: 'Keys',
  summary: 'Whether a developer key is good',
  description:
    'Send the key as `X-API-Key`; there is no body. Other services ask this for keys that are shown to them.',
  checksKey: true,
  params: noParameters,
  query: noParameters,
  response: z
    .strictObject({
      valid: z.boolean(),
      error: z.string().optional().describe('Why not, for people.'),
    })
    .meta({ id: 'KeyCheck' }),
  alternatives: {
    401: 'There is no such key, it was revoked, or none was sent.',
    503: 'Keys cannot be looked up at the moment.',
  },
  example: { valid: true },
  handler: async ({ apiKey }, { keys }) => {
    const refuse = (status: number, error: string) => ({
      status,
      body: { valid: false, error },
      caching: 'never' as const,
    })
    if (apiKey === undefined) return refuse(401, 'Send the key as X-API-Key.')
    if (keys === undefined) return refuse(503, 'Developer keys are not known to this server.')
    try {
      const key = await keys.find(apiKey)
      return key === undefined
        ? refuse(401, 'There is no such key, or it was revoked.')
        : { body: { valid: true }, caching: 'never' as const }
    } catch (error) {
      if (toApiError(error).status !== 503) throw error
      return refuse(503, 'Keys cannot be looked up at the moment; try again.')
    }
  },
})

/** Developer keys, as those who hold them and services that are shown them see them. */
export const authRoutes = [verifyKey]
