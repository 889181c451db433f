import { z } from 'zod'
import { ApiError } from '../../../base/errors.ts'
import { parseBody } from '../../../base/parse-input.ts'
import { conditionsSchema } from '../../../webhooks/conditions.ts'
import type { Conditions } from '../../../webhooks/conditions.ts'

/** Conditions as clients of the Flow explorer's webhooks write them: ours, and theirs that mean the same. */
export const clientConditionsSchema = z
  .record(z.string(), z.unknown(), 'must be an object')
  .describe(
    'As in `/webhooks/subscriptions`; or one of each `token`, `token_contract`, `collection` (for `tokens`), `contract_address`, `pair_id`, `node_id`; ' +
      '`token_ids`, `event_types` (names of events), `from`, `to`, `min_value`. Amounts may be numbers. What is not known is refused.',
  )

/** What of theirs stands for what of ours. */
const secondNames: Readonly<Record<string, keyof Conditions>> = {
  token: 'tokens',
  token_contract: 'tokens',
  collection: 'tokens',
  contract_address: 'contracts',
  pair_id: 'pairs',
  node_id: 'nodes',
  token_ids: 'nft_ids',
  event_types: 'event_names',
  min_value: 'min_amount',
  from: 'addresses',
  to: 'addresses',
}

/** @throws ApiError 400 that names the condition at fault */
export function fromClientConditions(given: Readonly<Record<string, unknown>> | null | undefined): Conditions {
  const ours: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given ?? {})) {
    if (value === null) continue
    const own = Object.hasOwn(secondNames, name) ? (secondNames[name] ?? name) : name
    if (Object.hasOwn(ours, own)) {
      throw new ApiError(
        400,
        'invalid-field',
        `Field "conditions.${name}" says the same as another: give one of them.`,
        { field: `conditions.${name}` },
      )
    }
    ours[own] = ownValue(own, value, own !== name)
    if (name === 'from' || name === 'to') ours['direction'] = name === 'to' ? 'in' : 'out'
  }
  return parseBody(z.object({ conditions: conditionsSchema }), { conditions: ours }).conditions
}

function ownValue(own: string, value: unknown, isRenamed: boolean): unknown {
  if (own === 'min_amount') return typeof value === 'number' ? decimalText(value) : value
  if (own === 'roles') return [value].flat().map((role) => (typeof role === 'string' ? role.toLowerCase() : role))
  return isRenamed ? [value].flat().map((one) => (typeof one === 'number' ? String(one) : one)) : value
}

/** Without an exponent, which amounts do not have. */
function decimalText(value: number): string {
  return value.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 18 })
}
