import type { Transaction } from './gen/answers.ts'
import { contractNameOf, formatAmount, sayName, symbolOf } from './text.ts'
import type { Piece, Sentence } from './told-moves.ts'

type Told = Pick<
  Transaction,
  'authorizers' | 'payer' | 'tags' | 'transfer_summary' | 'template_label' | 'contract_imports'
>

/** Whether somebody sent it: the chain makes a few in each block by itself. */
export function isOfPeople({ template_category: category }: Pick<Transaction, 'template_category'>): boolean {
  return category !== 'SYSTEM'
}

interface Move {
  readonly what: Piece
  readonly direction: 'in' | 'out' | 'transfer'
  readonly other: string | null
}

const shown = 2

/**
 * What a transaction of a list moved, in one sentence: for an account what it gave and got; for all accounts who moved
 * what to whom, where who set the transaction in motion counts as who moved it. Where nothing was moved, what it called,
 * unless its name says more. Undefined where nothing is known of it yet.
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

function movesOf({ transfer_summary: summary }: Told): Move[] {
  const tokens = summary?.ft ?? []
  const items = summary?.nft ?? []
  return [
    ...tokens
      .filter(({ amount }) => Number(amount) !== 0)
      .map(({ token, amount, symbol, direction, counterparty: other }): Move => {
        return { what: { token, text: `${formatAmount(amount)} ${symbolOf(token, symbol)}` }, direction, other }
      }),
    ...items.map(({ collection, count, name, direction, counterparty: other }): Move => {
      const kind = sayName(name ?? '', collection === null ? '' : contractNameOf(collection))
      const text = [count, kind, count === 1 ? 'NFT' : 'NFTs'].filter((word) => word !== '').join(' ')
      return { what: collection === null ? text : { collection, text }, direction, other }
    }),
  ]
}

function tellForAll({ authorizers, payer, tags }: Told, moves: readonly Move[]): Sentence {
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

function thingsOf(moves: readonly Pick<Move, 'what'>[]): Piece[] {
  const rest = moves.length - shown
  const first = moves
    .slice(0, shown)
    .flatMap(({ what }, i): Piece[] => (i === 0 ? [what] : [rest > 0 ? ', ' : ' and ', what]))
  return rest > 0 ? [...first, ` and ${rest} more`] : first
}

/** The other side, where it is one and the same of all. */
function otherOf(moves: readonly Move[], word: string): Piece[] {
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
