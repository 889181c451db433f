import { z } from 'zod'
import type { ChainEvent } from './chain-event.ts'
import type { EventType } from './event-types.ts'
import { amountForm, compareAmounts } from './exact-amount.ts'

const account = z.string()
  .regex(/^(0[xX])?([0-9a-fA-F]{1,16}|[0-9a-fA-F]{40})$/, 'must be accounts: 0x and 16 hex digits, or 40 for one of Flow EVM')
  .overwrite((text) => `0x${text.replace(/^0x/i, '').toLowerCase().padStart(16, '0')}`)

const contract = z.string()
  .regex(/^A\.[0-9a-f]{16}\.\w{1,200}(\.\w{1,200})?$/, 'must be of the form A.<16 hex digits>.<name>')

const some = <Item extends z.ZodType>(item: Item, what: string): z.ZodOptional<z.ZodArray<Item>> => (
  z.array(item, 'must be a list').min(1, 'must not be empty').max(100, 'has at most 100 entries').describe(what).optional()
)

/** What else must be true of an event than its type. Those that are given must all be met. */
export const conditionsSchema = z.strictObject({
  addresses: some(account, 'Accounts of which one takes part: gives, gets, signs, is changed.'),
  direction: z.enum(['in', 'out', 'both'], 'must be in, out or both').describe('Whether one of `addresses` gets (in), gives (out), or either. Only with `addresses`.').optional(),
  tokens: some(contract, 'Tokens or collections, `A.<address>.<name>`; of DeFi events one of the pair.'),
  min_amount: z.string('must be a text').regex(amountForm, 'must be an amount such as 1000 or 0.5').describe('Least amount in whole tokens, compared exactly.').optional(),
  contracts: some(contract, 'Contracts, `A.<address>.<name>`.'),
  event_names: some(
    z.string().regex(/^[\w.]{1,300}$/, 'must be names of events'),
    'Full types of events (`A.<address>.<contract>.<event>`); of DeFi and staking events their names, of transfers their kinds (`mint`).',
  ),
}, 'must be an object')

export type Conditions = z.output<typeof conditionsSchema>

/** From how many whole tokens on a transfer is large where a subscription does not say it. */
const largeAmount = '1000'

/** The type under which an event is told to a subscription; undefined: it is not. */
export function matchedType(event: ChainEvent, types: readonly string[], conditions: Conditions): EventType | undefined {
  if (!meets(event, conditions)) return undefined
  return event.types.find((type) => types.includes(type) && (type !== 'ft.large_transfer' || isLarge(event, conditions)))
}

function isLarge({ facets: { amount } }: ChainEvent, { min_amount: least = largeAmount }: Conditions): boolean {
  return amount !== undefined && compareAmounts(amount, least) >= 0
}

function meets({ facets }: ChainEvent, conditions: Conditions): boolean {
  const { addresses, direction = 'both', tokens, min_amount: least, contracts, event_names: names } = conditions
  if (addresses !== undefined) {
    const { from = [], to = [], addresses: others = [] } = facets
    const concerned = { in: to, out: from, both: [...from, ...to, ...others] }[direction]
    if (!shares(addresses, concerned)) return false
  }
  if (tokens !== undefined && !shares(tokens, facets.tokens)) return false
  if (contracts !== undefined && !shares(contracts, facets.contracts)) return false
  if (names !== undefined && !shares(names, facets.names)) return false
  return least === undefined || (facets.amount !== undefined && compareAmounts(facets.amount, least) >= 0)
}

function shares(wanted: readonly string[], there: readonly string[] = []): boolean {
  return there.some((one) => wanted.includes(one))
}
