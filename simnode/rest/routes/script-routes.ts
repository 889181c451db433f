import { z } from 'zod'
import { accessCalls } from '../access-calls.ts'
import type { RestRoute } from '../rest-route.ts'
import { badRequest, base64, readBase64, readHeight, readId } from '../rest-values.ts'

/** Source: onflow/flow-go `engine/access/rest/common/parser/arguments.go`. */
const mostArguments = 100
const scriptSchema = z.object({ script: z.string(), arguments: z.array(z.string()).max(mostArguments).nullish() })

/** The path that runs scripts: its answer is no object but a text, the base64 of a value in JSON-CDC. */
export const scriptRoutes: readonly RestRoute[] = [
  {
    method: 'POST',
    path: '/v1/scripts',
    async answer(calls, { query, body }) {
      const [id, height] = [query.get('block_id'), readHeight(query.get('block_height'), 'block height')]
      if (id !== null && height !== undefined) throw badRequest('can only provide either block ID or block height')
      const parsed = scriptSchema.safeParse(body)
      if (!parsed.success) throw badRequest(`invalid script: ${z.prettifyError(parsed.error)}`)
      const script = readBase64(parsed.data.script, 'script source')
      const args = (parsed.data.arguments ?? []).map((one) => readBase64(one, 'argument'))
      if (id !== null)
        return base64((await calls.ask(accessCalls.scriptAtId, { blockId: readId(id), script, arguments: args })).value)
      if (height === undefined || height === 'latest') {
        return base64((await calls.ask(accessCalls.scriptAtLatest, { script, arguments: args })).value)
      }
      return base64(
        (await calls.ask(accessCalls.scriptAtHeight, { blockHeight: height, script, arguments: args })).value,
      )
    },
  },
]
