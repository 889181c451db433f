import type {
  Transaction,
  EvmExecution,
  FungibleMove,
  NonFungibleMove,
  TransactionDefiEvent,
  Event,
} from './answers.gen.ts'
import { contractNameOf, formatAmount, sanitizeName, symbolOf, formatUnits, sumAmounts } from './text.ts'

type Told = Pick<
  Transaction,
  'authorizers' | 'payer' | 'tags' | 'transfer_summary' | 'template_label' | 'contract_imports'
>

/** Whether somebody sent it: the chain makes a few in each block by itself. */
export function isUserTransaction({ template_category: category }: Pick<Transaction, 'template_category'>): boolean {
  return category !== 'SYSTEM'
}

interface SummaryMove {
  readonly what: Piece
  readonly direction: 'in' | 'out' | 'transfer'
  readonly other: string | null
}

const shown = 2

/**
 * What a transaction of a list moved, in one sentence: for an account what it gave and got; for all accounts who
 * moved what to whom, where who set the transaction in motion counts as who moved it. Where nothing was moved, what
 * it called, unless its name says more. Undefined where nothing is known of it yet.
 */
export function tellSummary(transaction: Told): Sentence | undefined {
  const moves = movesOf(transaction)
  if (moves.length === 0) return tellCalls(transaction)
  const given = moves.filter(({ direction }) => direction === 'out')
  const got = moves.filter(({ direction }) => direction === 'in')
  if (given.length + got.length === 0) return tellForAll(transaction, moves)
  const out = given.length === 0 ? [] : ['Gave ', ...thingsOf(given), ...otherOf(given, ' to ')]
  const into =
    got.length === 0 ? [] : [out.length === 0 ? 'Got ' : ', got ', ...thingsOf(got), ...otherOf(got, ' from ')]
  return [...out, ...into]
}

function movesOf({ transfer_summary: summary }: Told): SummaryMove[] {
  const tokens = summary?.ft ?? []
  const items = summary?.nft ?? []
  return [
    ...tokens
      .filter(({ amount }) => Number(amount) !== 0)
      .map(({ token, amount, symbol, direction, counterparty: other }): SummaryMove => {
        return { what: { token, text: `${formatAmount(amount)} ${symbolOf(token, symbol)}` }, direction, other }
      }),
    ...items.map(({ collection, count, name, direction, counterparty: other }): SummaryMove => {
      const kind = sanitizeName(name ?? '', collection === null ? '' : contractNameOf(collection))
      const text = [count, kind, count === 1 ? 'NFT' : 'NFTs'].filter((word) => word !== '').join(' ')
      return { what: collection === null ? text : { collection, text }, direction, other }
    }),
  ]
}

function tellForAll({ authorizers, payer, tags }: Told, moves: readonly SummaryMove[]): Sentence {
  const who = authorizers[0] ?? payer
  const verb = verbOf(tags)
  const isToOneself = moves.every(({ other }) => other === who)
  if (isToOneself && verb === 'moved') return [{ account: who }, ' got ', ...thingsOf(moves)]
  const to = isToOneself ? [] : otherOf(moves, verb === 'made' ? ' for ' : ' to ')
  return [{ account: who }, ` ${verb} `, ...thingsOf(moves), ...to]
}

function tellCalls({
  template_label: label,
  contract_imports: contracts,
  authorizers,
  payer,
}: Told): Sentence | undefined {
  if (label !== '' || contracts.length === 0) return undefined
  const called = contracts.map((contract): { what: Piece } => ({ what: { contract, text: contractNameOf(contract) } }))
  return [{ account: authorizers[0] ?? payer }, ' called ', ...thingsOf(called)]
}

function thingsOf(moves: readonly Pick<SummaryMove, 'what'>[]): Piece[] {
  const rest = moves.length - shown
  const first = moves
    .slice(0, shown)
    .flatMap(({ what }, i): Piece[] => (i === 0 ? [what] : [rest > 0 ? ', ' : ' and ', what]))
  return rest > 0 ? [...first, ` and ${rest} more`] : first
}

/** The other side, where it is one and the same of all. */
function otherOf(moves: readonly SummaryMove[], word: string): Piece[] {
  const other = moves[0]?.other ?? null
  return other !== null && moves.every((move) => move.other === other) ? [word, { account: other }] : []
}

/** Said of many transactions that do something else. */
const common: ReadonlySet<string> = new Set(['FT_TRANSFER', 'NFT_TRANSFER', 'EVM', 'EVM_BRIDGE'])
const verbs: Readonly<Record<string, string>> = { TOKEN_MINT: 'made', TOKEN_BURN: 'burned', SWAP: 'swapped' }

/** What the tag says of a transaction that did but one thing. */
function verbOf(tags: Told['tags']): string {
  const [first = '', ...others] = tags.filter((tag) => !common.has(tag))
  return others.length > 0 ? 'moved' : (verbs[first] ?? 'moved')
}

/** A sentence in pieces: words, and what they speak of. */
export type Piece =
  | string
  | { readonly account: string }
  | { readonly token: string; readonly text: string }
  | { readonly contract: string; readonly text: string }
  | { readonly collection: string; readonly text: string }
  | { readonly item: string; readonly collection: string | null; readonly text: string }

export type Sentence = readonly Piece[]

type Words = readonly [withBoth: string, onlyFrom: string, onlyTo: string]

/** What is said of a move from somebody, to somebody, or both: `%` is what was moved. */
const words: Readonly<Record<FungibleMove['transfer_type'], Words>> = {
  transfer: ['< sent % to >', '< sent %', '> got %'],
  mint: ['% was made for >', '< made %', '% was made for >'],
  burn: ['< burned %', '< burned %', '% was burned'],
  bridge: ['< moved % across the bridge to >', '< moved % across the bridge', '> got % across the bridge'],
  escrow: ['< put % in escrow with >', '< put % in escrow', '> holds % in escrow'],
  stake: ['< staked % with >', '< staked %', '% was staked with >'],
  unstake: ['> got % back that was staked', '< gave % back that was staked', '> got % back that was staked'],
  reward: ['> was rewarded with %', '< paid % as a reward', '> was rewarded with %'],
  deposit: ['> took % in, from <', '< gave % away', '> took % in'],
  withdrawal: ['< took % out, for >', '< took % out', '> took % out'],
}

/** What is told of a movement of tokens, wherever it is listed. */
type TokenMove = Pick<
  FungibleMove,
  'token' | 'token_symbol' | 'amount' | 'transfer_type' | 'from_address' | 'to_address'
>

/** A sentence, and the sentences that it sums up: none where it says all by itself. */
export interface Statement {
  readonly said: Sentence
  readonly details: readonly Sentence[]
}

/** Who moved what to whom: what went the same way is added up, and what one gave to several is said in one sentence. */
export function tellTokens(moves: readonly TokenMove[]): Statement[] {
  const ways = groupsOf(moves, ({ token, transfer_type: type, from_address: from, to_address: to }) => [
    token,
    type,
    from,
    to,
  ])
  return tellByGiver(ways, ({ token, token_symbol: symbol }, all) => ({
    token,
    text: `${formatAmount(sumAmounts(all.map(({ amount }) => amount)))} ${symbolOf(token, symbol)}`,
  }))
}

/** The same of items: one by its id, several by their number. */
export function tellItems(moves: readonly NonFungibleMove[]): Statement[] {
  const ways = groupsOf(moves, ({ token, transfer_type: type, from_address: from, to_address: to }) => [
    token,
    type,
    from,
    to,
  ])
  return tellByGiver(
    ways,
    (first, all) => {
      const name = sanitizeName(first.collection_name ?? '', first.token === null ? 'NFT' : contractNameOf(first.token))
      if (all.length === 1) return { item: first.token_id, collection: first.token, text: `${name} #${first.token_id}` }
      const text = `${all.length} ${name}`
      return first.token === null ? text : { collection: first.token, text }
    },
    (move) => sentenceOf(move, { item: move.token_id, collection: move.token, text: `#${move.token_id}` }),
  )
}

interface Move {
  readonly token: string | null
  readonly transfer_type: FungibleMove['transfer_type']
  readonly from_address: string | null
  readonly to_address: string | null
}

/**
 * A statement for each giver, or for each way where a giver gave to one.
 * @param ways moves of the same thing by the same way
 * @param thing what all of some moves moved
 * @param tellOne how a single move of a way is told, where that says more than the whole
 */
function tellByGiver<Each extends Move>(
  ways: readonly (readonly Each[])[],
  thing: (first: Each, all: readonly Each[]) => Piece,
  tellOne?: (move: Each) => Sentence,
): Statement[] {
  const givers = groupsOf(ways, ([first]) => [first?.token, first?.transfer_type, first?.from_address])
  return givers.flatMap((same): Statement[] => {
    const all = same.flat()
    const [first] = all
    if (first === undefined) return []
    if (same.length > 1) {
      const details = same.flatMap((way) => way.slice(0, 1).map((one) => sentenceOf(one, thing(one, way))))
      return [{ said: sentenceOf(first, thing(first, all), `${same.length} accounts`), details }]
    }
    const details = all.length > 1 && tellOne !== undefined ? all.map(tellOne) : []
    return [{ said: sentenceOf(first, thing(first, all)), details }]
  })
}

/** What has the same key together, in the order of the first of each. */
function groupsOf<Each>(all: readonly Each[], keyOf: (each: Each) => readonly unknown[]): Each[][] {
  return [...Map.groupBy(all, (each) => JSON.stringify(keyOf(each))).values()]
}

/** @param receivers in place of the one who got it, where they are several */
function sentenceOf(move: Move, what: Piece, receivers?: string): Sentence {
  const { from_address: from, to_address: to } = move
  const [withBoth, onlyFrom, onlyTo] = words[move.transfer_type]
  const pattern = from !== null && to !== null ? withBoth : from !== null ? onlyFrom : onlyTo
  return pattern.split(/([<>%])/).flatMap((part): Piece[] => {
    if (part === '%') return [what]
    if (part === '<') return from === null ? ['somebody'] : [{ account: from }]
    if (part === '>') return receivers !== undefined ? [receivers] : to === null ? ['somebody'] : [{ account: to }]
    return part === '' ? [] : [part]
  })
}

export function tellTrades(events: readonly TransactionDefiEvent[]): Sentence[] {
  return events.flatMap((event): Sentence[] => {
    const { maker, dex } = event
    const who: Piece = maker === null ? 'Somebody' : { account: maker }
    const where = dex === null ? '' : ` at ${dex}`
    const gave = sideOf(event, 'in')
    const got = sideOf(event, 'out')
    if (event.event_type === 'Swap') return [[who, ' swapped ', ...gave, ' for ', ...got, where]]
    if (event.event_type === 'AddLiquidity') return [[who, ' put ', ...gave, ' into a pool', where]]
    if (event.event_type === 'RemoveLiquidity') return [[who, ' took ', ...got, ' out of a pool', where]]
    return []
  })
}

function sideOf(event: TransactionDefiEvent, side: 'in' | 'out'): Piece[] {
  const both = [
    { id: event.asset0_id, symbol: event.asset0_symbol, amount: side === 'in' ? event.asset0_in : event.asset0_out },
    { id: event.asset1_id, symbol: event.asset1_symbol, amount: side === 'in' ? event.asset1_in : event.asset1_out },
  ]
  const told = both.flatMap(({ id, symbol, amount }): Piece[] => {
    if (amount === null || Number(amount) === 0) return []
    const text = `${formatAmount(amount)} ${id === null ? (symbol ?? 'tokens') : symbolOf(id, symbol)}`
    return [id === null ? text : { token: id, text }]
  })
  return told.length === 0 ? ['something'] : told.flatMap((piece, i) => (i === 0 ? [piece] : [' and ', piece]))
}

/** What ran in the EVM: who called whom, and with how much. */
export function tellEvm(executions: readonly EvmExecution[]): Sentence[] {
  return executions.map(({ from, to, value, data, contract_address: created, status }) => {
    const who: Piece = from === null ? 'Somebody' : { account: from }
    const amount = value === null || value === '0' ? '' : `${formatUnits(value, 18)} FLOW`
    const end = status === 'FAILURE' ? ' in the EVM, which failed' : ' in the EVM'
    if (to === null)
      return [who, ' made the contract ', created === null ? 'of an unknown address' : { account: created }, end]
    if ((data === null || data === '' || data === '0x') && amount !== '')
      return [who, ` sent ${amount} to `, { account: to }, end]
    return [who, ' called ', { account: to }, amount === '' ? '' : ` with ${amount}`, end]
  })
}

/**
 * What an error says where it says most: Flow wraps the cause in lines that only count, and what Cadence says of it
 * stands on a line of its own.
 */
export function tellError(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  const beginning = (mark: string): string | undefined =>
    lines.find((line) => line.startsWith(mark))?.slice(mark.length)
  const cause = beginning('error: ') ?? beginning('* ') ?? lines.find((line) => line !== '') ?? ''
  return cause.replaceAll(/\[Error Code: \d+\] (?:error caused by: )?/g, '')
}

type Change = Pick<Event, 'type' | 'event_name' | 'payload'>

/** What the protocol reports of an account, in the order in which it is told. */
const kinds = [
  'AccountCreated',
  'AccountContractAdded',
  'AccountContractUpdated',
  'AccountContractRemoved',
  'AccountKeyAdded',
  'AccountKeyRemoved',
  'CadenceOwnedAccountCreated',
] as const

type Kind = (typeof kinds)[number]

const contractVerbs: Partial<Record<Kind, string>> = {
  AccountContractAdded: 'deployed',
  AccountContractUpdated: 'updated',
  AccountContractRemoved: 'removed',
}

/** What became of accounts, keys and contracts: what nobody sees by what was moved. */
export function tellChanges(events: readonly Change[]): Statement[] {
  const changes = events.filter(
    ({ type }) => type.startsWith('flow.') || type.endsWith('.EVM.CadenceOwnedAccountCreated'),
  )
  const created = new Set(changesOf(changes, 'AccountCreated').map(addressOf))
  return kinds.flatMap((kind) => {
    const all = changesOf(changes, kind)
    // Whoever makes an account gives it keys.
    return tellKind(kind, kind === 'AccountKeyAdded' ? all.filter((change) => !created.has(addressOf(change))) : all)
  })
}

function changesOf(changes: readonly Change[], kind: Kind): Change[] {
  return changes.filter(({ event_name: name }) => name === kind)
}

function tellKind(kind: Kind, changes: readonly Change[]): Statement[] {
  const each = changes.map((change) => tellChange(kind, change))
  const [first] = each
  if (first === undefined) return []
  return each.length === 1 ? [{ said: first, details: [] }] : [{ said: [summaryOf(kind, each.length)], details: each }]
}

function tellChange(kind: Kind, change: Change): Sentence {
  const address = addressOf(change)
  const who: Piece = address === undefined ? 'somebody' : { account: address }
  const verb = contractVerbs[kind]
  if (verb !== undefined) return [who, ` ${verb} the contract `, contractOf(change)]
  if (kind === 'AccountCreated')
    return address === undefined ? ['An account was created'] : ['The account ', who, ' was created']
  if (kind === 'AccountKeyAdded') return [who, ' got a new key']
  if (kind === 'AccountKeyRemoved') return ['A key of ', who, ' was revoked']
  return ['The address ', who, ' was created in the EVM, for an account to act there']
}

function summaryOf(kind: Kind, count: number): string {
  const verb = contractVerbs[kind]
  if (verb !== undefined) return `${count} contracts were ${verb}`
  if (kind === 'AccountCreated') return `${count} accounts were created`
  if (kind === 'AccountKeyAdded') return `${count} keys were added to accounts`
  if (kind === 'AccountKeyRemoved') return `${count} keys were revoked`
  return `${count} addresses were created in the EVM`
}

function fieldOf({ payload }: Change, name: string): string | undefined {
  const value: unknown =
    typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function addressOf(change: Change): string | undefined {
  const address = fieldOf(change, 'address')
  return address === undefined || address.startsWith('0x') ? address : `0x${address}`
}

function contractOf(change: Change): Piece {
  const name = fieldOf(change, 'contract')
  const address = addressOf(change)
  if (name === undefined || address === undefined) return 'of an unknown name'
  return { contract: `A.${address.slice(2)}.${name}`, text: name }
}
