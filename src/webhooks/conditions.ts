import { z } from 'zod'
import { accountRoles } from './events.ts'
import type { ChainEvent, EventType } from './events.ts'

/** An amount as people write it: digits, and up to 18 decimals. */
const amountForm = /^(0|[1-9]\d{0,38})(\.\d{1,18})?$/

/** Compares two amounts of that form exactly: below zero, zero or above. */
function compareAmounts(a: string, b: string): number {
  const [left, right] = [scaled(a), scaled(b)]
  return left < right ? -1 : left > right ? 1 : 0
}

function scaled(text: string): bigint {
  const [whole = '0', decimals = ''] = text.split('.')
  return BigInt(whole + decimals.slice(0, 18).padEnd(18, '0'))
}

const account = z
  .string()
  .regex(
    /^(0[xX])?([0-9a-fA-F]{1,16}|[0-9a-fA-F]{40})$/,
    'must be accounts: 0x and 16 hex digits, or 40 for one of Flow EVM',
  )
  .overwrite((text) => `0x${text.replace(/^0x/i, '').toLowerCase().padStart(16, '0')}`)

/**
 * Types that stand for their contract are left away, as in what is stored: `A.1654653399040a61.FlowToken.Vault` is
 * FlowToken.
 */
const contract = z
  .string()
  .regex(/^A\.(0[xX])?[0-9a-fA-F]{16}\.\w{1,200}(\.\w{1,200})?$/, 'must be of the form A.<16 hex digits>.<name>')
  .overwrite((text) => {
    const [, address = '', ...names] = text.split('.')
    return ['A', address.replace(/^0x/i, '').toLowerCase(), ...names].join('.').replace(/\.(Vault|NFT|Collection)$/, '')
  })

const some = <Item extends z.ZodType>(item: Item, what: string): z.ZodOptional<z.ZodArray<Item>> =>
  z
    .array(item, 'must be a list')
    .min(1, 'must not be empty')
    .max(100, 'has at most 100 entries')
    .describe(what)
    .optional()

/** What else must be true of an event than its type. Those that are given must all be met. */
export const conditionsSchema = z.strictObject(
  {
    addresses: some(account, 'Accounts of which one takes part: gives, gets, signs, is changed.'),
    direction: z
      .enum(['in', 'out', 'both'], 'must be in, out or both')
      .describe('Whether one of `addresses` gets (in), gives (out), or either. Only with `addresses`.')
      .optional(),
    tokens: some(contract, 'Tokens or collections, `A.<address>.<name>`; of DeFi events one of the pair.'),
    min_amount: z
      .string('must be a text')
      .regex(amountForm, 'must be an amount such as 1000 or 0.5')
      .describe('Least amount in whole tokens, compared exactly.')
      .optional(),
    contracts: some(contract, 'Contracts, `A.<address>.<name>`.'),
    pairs: some(
      z.string().regex(/^[\w.]{1,300}$/, 'must be pairs of exchanges'),
      'Pairs of exchanges, of DeFi events.',
    ),
    nft_ids: some(
      z.string().regex(/^\d{1,20}$/, 'must be numbers of items, as text'),
      'Numbers of items within their collection.',
    ),
    nodes: some(z.string().regex(/^[0-9a-f]{64}$/, 'must be ids of nodes: 64 hex digits'), 'Nodes, of staking events.'),
    roles: some(
      z.enum(accountRoles, 'must be payer, proposer or authorizer'),
      'What the account was in the transaction, of address.activity.',
    ),
    event_names: some(
      z.string().regex(/^[\w.]{1,300}$/, 'must be names of events'),
      'Full types of events (`A.<address>.<contract>.<event>`); of DeFi and staking events their ' +
        'names, of transfers their kinds (`mint`).',
    ),
  },
  'must be an object',
)

export type Conditions = z.output<typeof conditionsSchema>

/** From how many whole tokens on a transfer is large where a subscription does not say it. */
const largeAmount = '1000'

/** For the type under which an event is told to a subscription; undefined: it is not. */
export function typeMatcher(
  types: readonly string[],
  conditions: Conditions,
): (event: ChainEvent) => EventType | undefined {
  const wanted = new Set(types)
  const meets = conditionMatcher(conditions)
  return (event) => {
    const type = event.types.find(
      (one) => wanted.has(one) && (one !== 'ft.large_transfer' || isLarge(event, conditions)),
    )
    return type !== undefined && meets(event) ? type : undefined
  }
}

function isLarge({ facets: { amount } }: ChainEvent, { min_amount: min = largeAmount }: Conditions): boolean {
  return amount !== undefined && compareAmounts(amount, min) >= 0
}

function conditionMatcher({
  addresses,
  direction = 'both',
  min_amount: min,
  ...lists
}: Conditions): (event: ChainEvent) => boolean {
  const isAddressed = oneOf(addresses)
  const [isOfToken, isOfContract, isNamed] = [oneOf(lists.tokens), oneOf(lists.contracts), oneOf(lists.event_names)]
  const [isOfPair, isItem, isOfNode, isRole] = [
    oneOf(lists.pairs),
    oneOf(lists.nft_ids),
    oneOf(lists.nodes),
    oneOf(lists.roles),
  ]
  return ({ facets }) => {
    const { from, to, addresses: others } = facets
    const isConcerned =
      (direction !== 'out' && isAddressed(to)) ||
      (direction !== 'in' && isAddressed(from)) ||
      (direction === 'both' && isAddressed(others))
    return (
      isConcerned &&
      isOfToken(facets.tokens) &&
      isOfContract(facets.contracts) &&
      isNamed(facets.names) &&
      isOfPair(facets.pairs) &&
      isItem(facets.nftIds) &&
      isOfNode(facets.nodes) &&
      isRole(facets.roles) &&
      (min === undefined || (facets.amount !== undefined && compareAmounts(facets.amount, min) >= 0))
    )
  }
}

/** Whether one of a list is wanted; true for any list, also none, where nothing is asked. */
function oneOf(wanted: readonly string[] | undefined): (there: readonly string[] | undefined) => boolean {
  if (wanted === undefined) return () => true
  const set = new Set(wanted)
  return (there = []) => there.some((one) => set.has(one))
}
