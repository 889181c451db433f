import { z } from 'zod'
import { accountRoles } from './events.ts'
import type { ChainEvent, EventType } from './events.ts'

const amountForm = /^(0|[1-9]\d{0,38})(\.\d{1,18})?$/

/** Returns below zero, zero or above. */
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
  .regex(/^(0[xX])?([0-9a-fA-F]{1,16}|[0-9a-fA-F]{40})$/, 'must be accounts: 0x and 16 hex digits (Flow) or 40 (EVM)')
  .overwrite((text) => `0x${text.replace(/^0x/i, '').toLowerCase().padStart(16, '0')}`)

/** Accepts type names: `A.1654653399040a61.FlowToken.Vault` becomes FlowToken. */
const contract = z
  .string()
  .regex(/^A\.(0[xX])?[0-9a-fA-F]{16}\.\w{1,200}(\.\w{1,200})?$/, 'must have the form A.<16 hex digits>.<name>')
  .overwrite((text) => {
    const [, address = '', ...names] = text.split('.')
    return ['A', address.replace(/^0x/i, '').toLowerCase(), ...names].join('.').replace(/\.(Vault|NFT|Collection)$/, '')
  })

const some = <Item extends z.ZodType>(item: Item, what: string): z.ZodOptional<z.ZodArray<Item>> =>
  z
    .array(item, 'must be a list')
    .min(1, 'must not be empty')
    .max(100, 'must have at most 100 entries')
    .describe(what)
    .optional()

/** Combined with AND. */
export const conditionsSchema = z.strictObject(
  {
    addresses: some(
      account,
      'Accounts, one of which must be involved: as sender, receiver, signer or changed account.',
    ),
    direction: z
      .enum(['in', 'out', 'both'], 'must be in, out or both')
      .describe('in: an address receives; out: it sends; both: either. Only with `addresses`.')
      .optional(),
    tokens: some(contract, 'Tokens or collections, `A.<address>.<name>`; for DeFi events, one of the pair.'),
    min_amount: z
      .string('must be a string')
      .regex(amountForm, 'must be an amount such as 1000 or 0.5')
      .describe('Minimum amount in tokens.')
      .optional(),
    contracts: some(contract, 'Contracts, `A.<address>.<name>`.'),
    pairs: some(z.string().regex(/^[\w.]{1,300}$/, 'must be exchange pairs'), 'Exchange pairs, for DeFi events.'),
    nft_ids: some(z.string().regex(/^\d{1,20}$/, 'must be item ids, as strings'), 'Item ids within their collection.'),
    nodes: some(z.string().regex(/^[0-9a-f]{64}$/, 'must be node ids: 64 hex digits'), 'Nodes, for staking events.'),
    roles: some(
      z.enum(accountRoles, 'must be payer, proposer or authorizer'),
      'Roles of the account, for address.activity.',
    ),
    event_names: some(
      z.string().regex(/^[\w.]{1,300}$/, 'must be event names'),
      'Full event types (`A.<address>.<contract>.<event>`); event names for DeFi and staking events; transfer types ' +
        '(`mint`) for transfers.',
    ),
    columns: z
      .record(
        z.string().regex(/^[a-z][a-z0-9_]{0,62}$/, 'must have names of columns'),
        z.union(
          [z.string().max(1000), z.number(), z.boolean(), z.null()],
          'must be a text of at most 1,000 characters, a number, true, false or null',
        ),
        'must be an object',
      )
      .refine((columns) => Object.keys(columns).length <= 20, 'must have at most 20 columns')
      .describe('Values of columns, for rows of own tables.')
      .optional(),
  },
  'must be an object',
)

export type Conditions = z.output<typeof conditionsSchema>

const largeAmount = '1000'

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

function isLarge({ facets: { amount } }: ChainEvent, { min_amount: minimum = largeAmount }: Conditions): boolean {
  return amount !== undefined && compareAmounts(amount, minimum) >= 0
}

function conditionMatcher({
  addresses,
  direction = 'both',
  min_amount: minimum,
  columns,
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
      (columns === undefined || hasValues(facets.columns, columns)) &&
      (minimum === undefined || (facets.amount !== undefined && compareAmounts(facets.amount, minimum) >= 0))
    )
  }
}

function hasValues(
  row: Readonly<Record<string, unknown>> | undefined,
  wanted: Readonly<Record<string, unknown>>,
): boolean {
  return (
    row !== undefined &&
    Object.entries(wanted).every(([name, value]) => Object.hasOwn(row, name) && isSame(row[name], value))
  )
}

/** Numbers are equal whatever their decimals: 12 and 12.00. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === null || right === null) return left === right
  return withoutZeros(left) === withoutZeros(right)
}

function withoutZeros(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text
}

function oneOf(wanted: readonly string[] | undefined): (there: readonly string[] | undefined) => boolean {
  if (wanted === undefined) return () => true
  const set = new Set(wanted)
  return (there = []) => there.some((one) => set.has(one))
}
