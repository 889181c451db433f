import type { EvmExecution, FungibleMove, NonFungibleMove, TransactionDefiEvent } from './gen/answers.ts'
import { contractNameOf, formatAmount, formatUnits, symbolOf } from './text.ts'

/** A sentence in pieces: words, and what they speak of. */
export type Piece =
  | string
  | { readonly account: string }
  | { readonly token: string; readonly text: string }
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

/** Who moved what to whom, a sentence for each move; the same move of several legs is said once. */
export function tellTokens(moves: readonly FungibleMove[]): Sentence[] {
  return moves.map((move) => {
    const text = `${formatAmount(move.amount)} ${symbolOf(move.token, move.token_symbol)}`
    return sentenceOf(move, { token: move.token, text })
  })
}

export function tellItems(moves: readonly NonFungibleMove[]): Sentence[] {
  return moves.map((move) => {
    const name = move.collection_name ?? (move.token === null ? 'NFT' : contractNameOf(move.token))
    return sentenceOf(move, { item: move.token_id, collection: move.token, text: `${name} #${move.token_id}` })
  })
}

type Move = Pick<
  FungibleMove,
  'transfer_type' | 'from_address' | 'to_address' | 'from_coa_flow_address' | 'to_coa_flow_address'
>

function sentenceOf(move: Move, what: Piece): Sentence {
  const { from_address: from, to_address: to } = move
  const [withBoth, onlyFrom, onlyTo] = words[move.transfer_type]
  const pattern = from !== null && to !== null ? withBoth : from !== null ? onlyFrom : onlyTo
  return pattern.split(/([<>%])/).flatMap((part): Piece[] => {
    if (part === '%') return [what]
    if (part === '<') return from === null ? ['somebody'] : [{ account: from }]
    if (part === '>') return to === null ? ['somebody'] : [{ account: to }]
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
    if (to === null) return [who, ' made the contract ', created === null ? 'of an unknown address' : { account: created }, end]
    if ((data === null || data === '' || data === '0x') && amount !== '') return [who, ` sent ${amount} to `, { account: to }, end]
    return [who, ' called ', { account: to }, amount === '' ? '' : ` with ${amount}`, end]
  })
}

/** What an error says where it says most: Flow wraps the cause in lines that only count. */
export function tellError(message: string): string {
  const lines = message.split('\n').map((line) => line.trim())
  const cause = lines.find((line) => line.startsWith('* '))?.slice(2) ?? lines.find((line) => line !== '') ?? ''
  return cause.replaceAll(/\[Error Code: \d+\] (?:error caused by: )?/g, '')
}
