import type {
  Transaction,
  EvmExecution,
  FungibleMove,
  NonFungibleMove,
  TransactionDefiEvent,
  Event,
} from './answers.gen.ts'
import {
  contractNameOf,
  formatAmount,
  formatDollars,
  formatUnits,
  isZero,
  sanitizeName,
  sumAmounts,
  symbolOf,
} from './text.ts'

type Summarized = Pick<
  Transaction,
  'authorizers' | 'payer' | 'tags' | 'transfer_summary' | 'template_label' | 'contract_imports'
>

/** The protocol adds a few system transactions to each block. */
export function isUserTransaction({ template_category: category }: Pick<Transaction, 'template_category'>): boolean {
  return category !== 'SYSTEM'
}

interface SummaryTransfer {
  readonly asset: Segment
  readonly direction: 'in' | 'out' | 'transfer'
  readonly counterparty: string | null
}

const maxAssets = 2

/**
 * From the view of one account: sent and received. Otherwise: transfers of the first authorizer.
 * Without transfers: the called contracts, unless the transaction has a label. Undefined if there
 * is nothing to report.
 */
export function summarizeTransaction(transaction: Summarized): Sentence | undefined {
  const transfers = transfersOf(transaction)
  if (transfers.length === 0) return describeCalls(transaction)
  const sent = transfers.filter(({ direction }) => direction === 'out')
  const received = transfers.filter(({ direction }) => direction === 'in')
  if (sent.length + received.length === 0) return describeForAll(transaction, transfers)
  const out = sent.length === 0 ? [] : ['Sent ', ...assetsOf(sent), ...counterpartyOf(sent, ' to ')]
  const verb = out.length === 0 ? 'Received ' : ', received '
  const into = received.length === 0 ? [] : [verb, ...assetsOf(received), ...counterpartyOf(received, ' from ')]
  return [...out, ...into]
}

function transfersOf({ transfer_summary: summary }: Summarized): SummaryTransfer[] {
  const tokens = summary?.ft ?? []
  const items = summary?.nft ?? []
  return [
    ...tokens
      .filter(({ amount }) => Number(amount) !== 0)
      .map(({ token, amount, symbol, direction, counterparty }): SummaryTransfer => {
        const text = `${formatAmount(amount)} ${symbolOf(token, symbol)}`
        return { asset: { token, text }, direction, counterparty }
      }),
    ...items.map(({ collection, count, name, direction, counterparty }): SummaryTransfer => {
      const kind = sanitizeName(name ?? '', collection === null ? '' : contractNameOf(collection))
      const text = [count, kind, count === 1 ? 'NFT' : 'NFTs'].filter((word) => word !== '').join(' ')
      return { asset: collection === null ? text : { collection, text }, direction, counterparty }
    }),
  ]
}

function describeForAll({ authorizers, payer, tags }: Summarized, transfers: readonly SummaryTransfer[]): Sentence {
  const sender = authorizers[0] ?? payer
  const verb = verbOf(tags)
  const isToSender = transfers.every(({ counterparty }) => counterparty === sender)
  if (isToSender && verb === 'transferred') return [{ account: sender }, ' received ', ...assetsOf(transfers)]
  const to = isToSender ? [] : counterpartyOf(transfers, verb === 'minted' ? ' for ' : ' to ')
  return [{ account: sender }, ` ${verb} `, ...assetsOf(transfers), ...to]
}

function describeCalls({
  template_label: label,
  contract_imports: contracts,
  authorizers,
  payer,
}: Summarized): Sentence | undefined {
  if (label !== '' || contracts.length === 0) return undefined
  const called = contracts.map((contract): { asset: Segment } => ({
    asset: { contract, text: contractNameOf(contract) },
  }))
  return [{ account: authorizers[0] ?? payer }, ' called ', ...assetsOf(called)]
}

function assetsOf(transfers: readonly Pick<SummaryTransfer, 'asset'>[]): Segment[] {
  const rest = transfers.length - maxAssets
  const first = transfers
    .slice(0, maxAssets)
    .flatMap(({ asset }, i): Segment[] => (i === 0 ? [asset] : [rest > 0 ? ', ' : ' and ', asset]))
  return rest > 0 ? [...first, ` and ${rest} more`] : first
}

function counterpartyOf(transfers: readonly SummaryTransfer[], word: string): Segment[] {
  const account = transfers[0]?.counterparty ?? null
  return account !== null && transfers.every(({ counterparty }) => counterparty === account) ? [word, { account }] : []
}

/** Tags that do not determine the verb. */
const commonTags: ReadonlySet<string> = new Set(['FT_TRANSFER', 'NFT_TRANSFER', 'EVM', 'EVM_BRIDGE'])
const tagVerbs: Readonly<Record<string, string>> = { TOKEN_MINT: 'minted', TOKEN_BURN: 'burned', SWAP: 'swapped' }

function verbOf(tags: Summarized['tags']): string {
  const [first = '', ...others] = tags.filter((tag) => !commonTags.has(tag))
  return others.length > 0 ? 'transferred' : (tagVerbs[first] ?? 'transferred')
}

export type Segment =
  | string
  | { readonly account: string }
  | { readonly token: string; readonly text: string; readonly dollars?: string | undefined }
  | { readonly contract: string; readonly text: string }
  | { readonly collection: string; readonly text: string }
  | { readonly item: string; readonly collection: string | null; readonly text: string }

export type Sentence = readonly Segment[]

type Templates = readonly [both: string, onlySender: string, onlyReceiver: string]

/** `%` is the asset, `<` the sender, `>` the receiver. */
const templates: Readonly<Record<FungibleMove['transfer_type'], Templates>> = {
  transfer: ['< sent % to >', '< sent %', '> received %'],
  mint: ['% was minted for >', '< minted %', '% was minted for >'],
  burn: ['< burned %', '< burned %', '% was burned'],
  bridge: ['< bridged % to >', '< bridged %', '> received % through the bridge'],
  escrow: ['< put % in escrow with >', '< put % in escrow', '> holds % in escrow'],
  stake: ['< staked % with >', '< staked %', '% was staked with >'],
  unstake: ['> received % of unstaked tokens', '< returned % of unstaked tokens', '> received % of unstaked tokens'],
  reward: ['> received % as a reward', '< paid % as a reward', '> received % as a reward'],
  deposit: ['> received % from <', '< deposited %', '> received %'],
  withdrawal: ['< withdrew % for >', '< withdrew %', '> withdrew %'],
}

type TokenTransfer = Pick<
  FungibleMove,
  'token' | 'token_symbol' | 'amount' | 'transfer_type' | 'from_address' | 'to_address' | 'usd_value'
>

export interface Statement {
  readonly summary: Sentence
  readonly details: readonly Sentence[]
}

export function describeTokenTransfers(transfers: readonly TokenTransfer[]): Statement[] {
  return describeBySender(transfers, ({ token, token_symbol: symbol }, all) => ({
    token,
    text: `${formatAmount(sumAmounts(all.map(({ amount }) => amount)))} ${symbolOf(token, symbol)}`,
    dollars: dollarsOf(all),
  }))
}

function dollarsOf(transfers: readonly TokenTransfer[]): string | undefined {
  const values = transfers.flatMap(({ usd_value: value }) => value ?? [])
  return values.length === 0 || values.length < transfers.length ? undefined : formatDollars(sumAmounts(values))
}

export function describeNftTransfers(transfers: readonly NonFungibleMove[]): Statement[] {
  return describeBySender(
    transfers,
    (first, all) => {
      const { token, collection_name: collection, token_id: id } = first
      const name = sanitizeName(collection ?? '', token === null ? 'NFT' : contractNameOf(token))
      if (all.length === 1) return { item: id, collection: token, text: `${name} #${id}` }
      const text = `${all.length} ${name}`
      return token === null ? text : { collection: token, text }
    },
    (transfer) =>
      sentenceOf(transfer, { item: transfer.token_id, collection: transfer.token, text: `#${transfer.token_id}` }),
  )
}

interface Transfer {
  readonly token: string | null
  readonly transfer_type: FungibleMove['transfer_type']
  readonly from_address: string | null
  readonly to_address: string | null
}

function describeBySender<Each extends Transfer>(
  transfers: readonly Each[],
  assetOf: (first: Each, all: readonly Each[]) => Segment,
  describeOne?: (transfer: Each) => Sentence,
): Statement[] {
  const routes = groupsOf(transfers, ({ token, transfer_type: type, from_address: from, to_address: to }) => [
    token,
    type,
    from,
    to,
  ])
  const senders = groupsOf(routes, ([first]) => [first?.token, first?.transfer_type, first?.from_address])
  return senders.flatMap((group): Statement[] => {
    const all = group.flat()
    const [first] = all
    if (first === undefined) return []
    if (group.length > 1) {
      const details = group.flatMap((route) => route.slice(0, 1).map((one) => sentenceOf(one, assetOf(one, route))))
      return [{ summary: sentenceOf(first, assetOf(first, all), `${group.length} accounts`), details }]
    }
    const details = all.length > 1 && describeOne !== undefined ? all.map(describeOne) : []
    return [{ summary: sentenceOf(first, assetOf(first, all)), details }]
  })
}

function groupsOf<Each>(all: readonly Each[], keyOf: (each: Each) => readonly unknown[]): Each[][] {
  return [...Map.groupBy(all, (each) => JSON.stringify(keyOf(each))).values()]
}

const unknownAccount = 'an unknown account'

/** @param receivers replaces the receiver if there are several */
function sentenceOf(transfer: Transfer, asset: Segment, receivers?: string): Sentence {
  const { from_address: from, to_address: to } = transfer
  const [both, onlySender, onlyReceiver] = templates[transfer.transfer_type]
  const template = from !== null && to !== null ? both : from !== null ? onlySender : onlyReceiver
  return template.split(/([<>%])/).flatMap((part): Segment[] => {
    if (part === '%') return [asset]
    if (part === '<') return from === null ? [unknownAccount] : [{ account: from }]
    if (part === '>') return receivers !== undefined ? [receivers] : to === null ? [unknownAccount] : [{ account: to }]
    return part === '' ? [] : [part]
  })
}

interface Trades<Each> {
  readonly statements: readonly Statement[]
  /** Transfers that no swap made. */
  readonly others: readonly Each[]
}

/** Consecutive swaps are one, and their transfers its details. */
export function describeTrades<Each extends TokenTransfer>(
  events: readonly TransactionDefiEvent[],
  transfers: readonly Each[],
): Trades<Each> {
  const byAmount = Map.groupBy(transfers, amountKey)
  const others = new Set(transfers)
  const statements = tradesOf(events).map((legs): Statement => {
    const made = legs.flatMap((leg) => transfersOfLeg(leg, byAmount)).filter((transfer) => others.delete(transfer))
    const details = describeTokenTransfers(made).map(({ summary }) => summary)
    const priced = (asset: TradedAsset): string | undefined =>
      dollarsOf(byAmount.get(amountKey(asset))?.slice(0, 1) ?? [])
    return {
      summary: describeTrade(legs, priced),
      details: legs.length > 1 ? [...legs.map((leg) => describeLeg(leg, priced)), ...details] : details,
    }
  })
  return { statements, others: [...others] }
}

const tradeTypes = ['Swap', 'AddLiquidity', 'RemoveLiquidity']

/** A swap continues the one before if it swaps all of its result. */
function tradesOf(events: readonly TransactionDefiEvent[]): TransactionDefiEvent[][] {
  const trades: TransactionDefiEvent[][] = []
  for (const event of events.filter(({ event_type: type }) => tradeTypes.includes(type))) {
    const [last] = trades.slice(-1)
    const before = last?.at(-1)
    if (last !== undefined && before !== undefined && isContinued(before, event)) last.push(event)
    else trades.push([event])
  }
  return trades
}

function isContinued(before: TransactionDefiEvent, next: TransactionDefiEvent): boolean {
  if (before.event_type !== 'Swap' || next.event_type !== 'Swap') return false
  const [given, ...othersOut] = assetsOfSide(before, 'out')
  const [taken, ...othersIn] = assetsOfSide(next, 'in')
  if (given === undefined || taken === undefined || othersOut.length + othersIn.length > 0) return false
  return given.token !== null && amountKey(given) === amountKey(taken)
}

/** To and from the account of the pair, or an unknown one. */
function transfersOfLeg<Each extends TokenTransfer>(
  leg: TransactionDefiEvent,
  byAmount: ReadonlyMap<string, readonly Each[]>,
): readonly Each[] {
  const pool = poolOf(leg.pair_id)
  const ofPool = (side: 'in' | 'out', field: 'from_address' | 'to_address'): readonly Each[] =>
    assetsOfSide(leg, side)
      .flatMap((asset) => byAmount.get(amountKey(asset)) ?? [])
      .filter(({ [field]: address }) => address === null || address === pool)
  return [...ofPool('in', 'to_address'), ...ofPool('out', 'from_address')]
}

/** `A.<address>.<contract>`, with the account of the pool if the contract has several. */
function poolOf(pair: string): string {
  return `0x${pair.match(/\b[0-9a-f]{16}\b/g)?.at(-1) ?? ''}`
}

function amountKey({ token, amount }: Pick<TradedAsset, 'token' | 'amount'>): string {
  return `${token} ${formatAmount(amount)}`
}

type Priced = (asset: TradedAsset) => string | undefined

function describeTrade(legs: readonly TransactionDefiEvent[], priced: Priced): Sentence {
  const [first, last] = [legs[0], legs.at(-1)]
  if (first === undefined || last === undefined) return []
  if (legs.length === 1) return describeLeg(first, priced)
  const maker = legs.map((leg) => leg.maker).find((each) => each !== null) ?? null
  const dexes = [...new Set(legs.flatMap(({ dex }) => dex ?? []))]
  const where = `${dexes.length === 0 ? '' : ` on ${dexes.join(' and ')}`}, through ${legs.length} pools`
  return [makerOf(maker), ' swapped ', ...sideOf(first, 'in', priced), ' for ', ...sideOf(last, 'out', priced), where]
}

function describeLeg(event: TransactionDefiEvent, priced: Priced): Sentence {
  const { maker, dex } = event
  const where = dex === null ? '' : ` on ${dex}`
  const paid = sideOf(event, 'in', priced)
  const received = sideOf(event, 'out', priced)
  if (event.event_type === 'Swap') return [makerOf(maker), ' swapped ', ...paid, ' for ', ...received, where]
  if (event.event_type === 'AddLiquidity') return [makerOf(maker), ' added ', ...paid, ' to a pool', where]
  return [makerOf(maker), ' removed ', ...received, ' from a pool', where]
}

function makerOf(maker: string | null): Segment {
  return maker === null ? 'An unknown account' : { account: maker }
}

interface TradedAsset {
  readonly token: string | null
  readonly symbol: string | null
  readonly amount: string
}

function assetsOfSide(event: TransactionDefiEvent, side: 'in' | 'out'): TradedAsset[] {
  const both = [
    { token: event.asset0_id, symbol: event.asset0_symbol, amount: side === 'in' ? event.asset0_in : event.asset0_out },
    { token: event.asset1_id, symbol: event.asset1_symbol, amount: side === 'in' ? event.asset1_in : event.asset1_out },
  ]
  return both.flatMap(({ amount, ...asset }) => (amount === null || isZero(amount) ? [] : [{ ...asset, amount }]))
}

function sideOf(event: TransactionDefiEvent, side: 'in' | 'out', priced: Priced): Segment[] {
  const assets = assetsOfSide(event, side).map((asset): Segment => {
    const { token, symbol, amount } = asset
    const text = `${formatAmount(amount)} ${token === null ? (symbol ?? 'tokens') : symbolOf(token, symbol)}`
    return token === null ? text : { token, text, dollars: priced(asset) }
  })
  return assets.length === 0 ? ['unknown tokens'] : assets.flatMap((asset, i) => (i === 0 ? [asset] : [' and ', asset]))
}

export function describeEvmExecutions(executions: readonly EvmExecution[]): Sentence[] {
  return executions.map(({ from, to, value, data, contract_address: created, status }) => {
    const who: Segment = from === null ? 'An unknown account' : { account: from }
    const amount = value === null || value === '0' ? '' : `${formatUnits(value, 18)} FLOW`
    const end = status === 'FAILURE' ? ' in the EVM (failed)' : ' in the EVM'
    if (to === null)
      return [who, ' deployed the contract ', created === null ? 'at an unknown address' : { account: created }, end]
    if ((data === null || data === '' || data === '0x') && amount !== '')
      return [who, ` sent ${amount} to `, { account: to }, end]
    return [who, ' called ', { account: to }, amount === '' ? '' : ` with ${amount}`, end]
  })
}

/** Access nodes wrap the cause in numbered lines. */
export function errorCause(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  const lineAfter = (prefix: string): string | undefined =>
    lines.find((line) => line.startsWith(prefix))?.slice(prefix.length)
  const cause = lineAfter('error: ') ?? lineAfter('* ') ?? lines.find((line) => line !== '') ?? ''
  return cause.replaceAll(/\[Error Code: \d+\] (?:error caused by: )?/g, '')
}

type AccountEvent = Pick<Event, 'type' | 'event_name' | 'payload'>

const accountEvents = [
  'AccountCreated',
  'AccountContractAdded',
  'AccountContractUpdated',
  'AccountContractRemoved',
  'AccountKeyAdded',
  'AccountKeyRemoved',
  'CadenceOwnedAccountCreated',
] as const

type EventName = (typeof accountEvents)[number]

const contractVerbs: Partial<Record<EventName, string>> = {
  AccountContractAdded: 'deployed',
  AccountContractUpdated: 'updated',
  AccountContractRemoved: 'removed',
}

export function describeAccountChanges(events: readonly AccountEvent[]): Statement[] {
  const changes = events.filter(
    ({ type }) => type.startsWith('flow.') || type.endsWith('.EVM.CadenceOwnedAccountCreated'),
  )
  const created = new Set(changes.filter(({ event_name: name }) => name === 'AccountCreated').map(addressOf))
  return accountEvents.flatMap((name): Statement[] => {
    const details = changes
      .filter((change) => change.event_name === name)
      // A new account always gets keys.
      .filter((change) => name !== 'AccountKeyAdded' || !created.has(addressOf(change)))
      .map((change) => describeChange(name, change))
    const [first] = details
    if (first === undefined) return []
    if (details.length === 1) return [{ summary: first, details: [] }]
    return [{ summary: [describeChanges(name, details.length)], details }]
  })
}

function describeChange(name: EventName, change: AccountEvent): Sentence {
  const address = addressOf(change)
  const who: Segment = address === undefined ? unknownAccount : { account: address }
  const verb = contractVerbs[name]
  if (verb !== undefined) return [who, ` ${verb} the contract `, contractOf(change)]
  if (name === 'AccountCreated')
    return address === undefined ? ['An account was created'] : ['Account ', who, ' was created']
  if (name === 'AccountKeyAdded') return ['A key was added to ', who]
  if (name === 'AccountKeyRemoved') return ['A key of ', who, ' was revoked']
  return ['The Cadence-owned EVM account ', who, ' was created']
}

function describeChanges(name: EventName, count: number): string {
  const verb = contractVerbs[name]
  if (verb !== undefined) return `${count} contracts were ${verb}`
  if (name === 'AccountCreated') return `${count} accounts were created`
  if (name === 'AccountKeyAdded') return `${count} keys were added to accounts`
  if (name === 'AccountKeyRemoved') return `${count} keys were revoked`
  return `${count} Cadence-owned EVM accounts were created`
}

function fieldOf({ payload }: AccountEvent, name: string): string | undefined {
  const value: unknown =
    typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

function addressOf(change: AccountEvent): string | undefined {
  const address = fieldOf(change, 'address')
  return address === undefined || address.startsWith('0x') ? address : `0x${address}`
}

function contractOf(change: AccountEvent): Segment {
  const name = fieldOf(change, 'contract')
  const address = addressOf(change)
  if (name === undefined || address === undefined) return 'with an unknown name'
  return { contract: `A.${address.slice(2)}.${name}`, text: name }
}
