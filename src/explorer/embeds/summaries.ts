import type { DatabasePool } from 'slonik'
import type { z } from 'zod'
import type { Network } from '../../flow/network.ts'
import { readIndexedAccount } from '../accounts/queries.ts'
import { coaPrefix, readCoaOwner } from '../accounts/coa-owner.ts'
import { findBlockHeight, readBlock } from '../blocks/queries.ts'
import { findEvmTransaction, readEvmTransactions } from '../evm/queries.ts'
import { readEvmTokens } from '../evm/token-queries.ts'
import { contractParts, hashPattern } from '../formats.ts'
import { readNftCollections } from '../nfts/queries.ts'
import { readBounds } from '../paging/bounds.ts'
import { accountOrCoaParameter, contractParameter, evmAddressParameter, integerParameter } from '../parameters.ts'
import { readFungibleToken } from '../tokens/queries.ts'
import { completeTransactions } from '../transactions/descriptions.ts'
import { readTransactionDetail } from '../transactions/detail-queries.ts'
import { findSystemTransaction, findTransaction, findTransactionInBlock } from '../transactions/queries.ts'
import { presentTransaction } from '../transactions/schema.ts'
import type { Transaction } from '../transactions/schema.ts'

export const summaryKinds = ['block', 'transaction', 'account', 'token'] as const
export type SummaryKind = (typeof summaryKinds)[number]

/** Content of link previews, cards and badges. Names are untrusted. */
export interface Summary {
  readonly kind: SummaryKind
  /** `Transaction 3ef0ef21…e8d355a7`. */
  readonly title: string
  readonly description: string
  /** Path of the page. */
  readonly path: string
  readonly facts: readonly (readonly [name: string, value: string])[]
  /** Left and right part of a badge. */
  readonly label: string
  readonly message: string
  readonly tone: 'good' | 'bad' | 'neutral'
}

export interface SummarySource {
  readonly database: DatabasePool
  readonly network: () => Network
}

/**
 * The item of a page, by its path and query. Undefined for other pages, and for accounts that are
 * not indexed, which may exist on the chain.
 */
export async function readSummary(path: string, source: SummarySource): Promise<Summary | 'unknown' | undefined> {
  const { pathname, searchParams } = new URL(path, 'http://localhost')
  const evm = /^\/evm\/(transaction|token)\/([^/]+)\/?$/.exec(pathname)
  if (evm !== null) {
    const [, kind = '', text = ''] = evm
    return kind === 'token' ? summarizeEvmToken(text, source) : summarizeEvmTransaction(text, source)
  }
  const [, kind = '', text = '', ...rest] = pathname.split('/')
  if (rest.some((part) => part !== '') || text === '') return undefined
  const key = decode(text)
  switch (kind) {
    case 'block':
      return summarizeBlock(key, source)
    case 'transaction':
      return summarizeTransaction(key, searchParams.get('height'), source)
    case 'account':
      return summarizeAccount(key, source)
    case 'token':
      return summarizeToken(key, source)
    case 'nft':
      return summarizeCollection(key, source)
    default:
      return undefined
  }
}

async function summarizeBlock(key: string, { database }: SummarySource): Promise<Summary | 'unknown'> {
  const height = hashPattern.test(key) ? await findBlockHeight(database, key) : valueOf(integerParameter(0, 1e15), key)
  const block = height === undefined ? undefined : await readBlock(database, height)
  if (block === undefined) return 'unknown'
  const transactions = counted(block.tx_count, 'transaction')
  const events = counted(block.event_count, 'event')
  return {
    kind: 'block',
    title: `Block ${grouped(block.height)}`,
    description: `${transactions} and ${events} at ${timeText(block.timestamp)}.`,
    path: `/block/${block.height}`,
    facts: [
      ['Time', timeText(block.timestamp)],
      ['Transactions', grouped(block.tx_count)],
      ['Events', grouped(block.event_count)],
    ],
    label: 'block',
    message: grouped(block.height),
    tone: 'neutral',
  }
}

async function summarizeTransaction(
  id: string,
  height: string | null,
  { database, network }: SummarySource,
): Promise<Summary | 'unknown'> {
  if (!hashPattern.test(id)) return 'unknown'
  const at = height === null ? undefined : valueOf(integerParameter(0, 1e15), height)
  const place =
    (at === undefined ? undefined : await findTransactionInBlock(database, id, at)) ??
    (await findTransaction(database, id)) ??
    (await findSystemTransaction(database, id, await readBounds(database)))
  const row = place === undefined ? undefined : await readTransactionDetail(database, place, true)
  const [complete] = row === undefined ? [] : await completeTransactions(database, network(), [row])
  if (complete === undefined) return 'unknown'
  const transaction = presentTransaction(complete)
  const status = statuses[transaction.execution_status]
  const moved = movedText(transaction)
  const fee = transaction.fee === null ? '' : `, fee ${amountText(transaction.fee)} FLOW`
  const events = counted(transaction.event_count, 'event')
  return {
    kind: 'transaction',
    title: `Transaction ${shortened(transaction.id)}`,
    description:
      `${moved === '' ? '' : `Moved ${moved}. `}${status.text} in block ${grouped(transaction.block_height)} at ` +
      `${timeText(transaction.timestamp)}, ${events}${fee}.`,
    path: `/transaction/${transaction.id}`,
    facts: [
      ['Status', status.text],
      ...(moved === '' ? [] : [['Moved', moved] as const]),
      ['Block', grouped(transaction.block_height)],
      ['Time', timeText(transaction.timestamp)],
      ['Payer', transaction.payer],
    ],
    label: 'transaction',
    message: status.text.toLowerCase(),
    tone: status.tone,
  }
}

const statuses = {
  SUCCESS: { text: 'Succeeded', tone: 'good' },
  FAILURE: { text: 'Failed', tone: 'bad' },
  UNKNOWN: { text: 'Included', tone: 'neutral' },
} as const

const maxMoved = 2

function movedText({ transfer_summary: summary }: Pick<Transaction, 'transfer_summary'>): string {
  const tokens = (summary?.ft ?? []).map(
    ({ amount, symbol, token }) => `${amountText(amount)} ${symbolText(token, symbol)}`,
  )
  const items = (summary?.nft ?? []).map(({ count, name }) => `${count} ${plainText(name ?? 'NFT', 30)}`)
  const moved = [...tokens, ...items]
  const more = moved.length > maxMoved ? ` and ${moved.length - maxMoved} more` : ''
  return `${moved.slice(0, maxMoved).join(', ')}${more}`
}

async function summarizeAccount(
  text: string,
  { database, network }: SummarySource,
): Promise<Summary | 'unknown' | undefined> {
  const party = valueOf(accountOrCoaParameter(), text)
  const address = party?.length === 42 ? await readCoaOwner(database, party) : party
  if (address === null && party?.startsWith(coaPrefix) === true) return undefined
  if (address === undefined || address === null) return 'unknown'
  const found = await readIndexedAccount(database, network(), address)
  if (found === undefined) return undefined
  const { row, contracts, labels, keys } = found
  const balance = `${amountText(row.flow_balance ?? '0')} FLOW`
  const transactions = counted(row.tx_count, 'transaction')
  const label = labels[0] === undefined ? '' : `${plainText(labels[0].label, 40)}. `
  return {
    kind: 'account',
    title: `Account ${address}`,
    description: `${label}${balance}, ${transactions}, ${counted(contracts.length, 'contract')}.`,
    path: `/account/${address}`,
    facts: [
      ['Balance', balance],
      ['Transactions', grouped(row.tx_count)],
      ['Keys', grouped(keys.length)],
      ['Contracts', grouped(contracts.length)],
    ],
    label: 'account',
    message: shortened(address),
    tone: 'neutral',
  }
}

async function summarizeToken(text: string, { database }: SummarySource): Promise<Summary | 'unknown'> {
  const id = valueOf(contractParameter(), text)
  const token = id === undefined ? undefined : await readFungibleToken(database, id)
  if (token === undefined) return 'unknown'
  const { name: contractName, address } = contractParts(token.token)
  const name = plainText(token.name ?? contractName, 40)
  const symbol = symbolText(token.token, token.symbol)
  const holders = counted(token.holder_count, 'holder')
  return {
    kind: 'token',
    title: `${name} (${symbol})`,
    description: `Fungible token of ${address}: ${holders}, ${counted(token.transfer_count, 'transfer')}.`,
    path: `/token/${token.token}`,
    facts: [
      ['Holders', grouped(token.holder_count)],
      ['Transfers', grouped(token.transfer_count)],
      ['Contract', token.token],
    ],
    label: symbol,
    message: holders,
    tone: 'neutral',
  }
}

async function summarizeCollection(text: string, { database }: SummarySource): Promise<Summary | 'unknown'> {
  const id = valueOf(contractParameter(), text)
  const [row] = id === undefined ? [] : await readNftCollections(database, [id])
  if (row === undefined) return 'unknown'
  const { name: contractName, address } = contractParts(row.token)
  const name = plainText(row.name ?? contractName, 40)
  const items = counted(row.number_of_tokens, 'item')
  return {
    kind: 'token',
    title: `${name} NFTs`,
    description: `NFT collection of ${address}: ${items}, ${counted(row.holder_count, 'holder')}.`,
    path: `/nft/${row.token}`,
    facts: [],
    label: name,
    message: items,
    tone: 'neutral',
  }
}

async function summarizeEvmToken(text: string, { database }: SummarySource): Promise<Summary | 'unknown'> {
  const address = valueOf(evmAddressParameter(), text)
  const [token] = address === undefined ? [] : await readEvmTokens(database, [address.slice(2)])
  if (token === undefined || address === undefined) return 'unknown'
  const name = token.name === null ? 'EVM token' : plainText(token.name, 40)
  const symbol = token.symbol === null ? shortened(address.slice(2)) : plainText(token.symbol, 20)
  const holders = counted(token.holder_count, 'holder')
  return {
    kind: 'token',
    title: `${name} (${symbol})`,
    description: `ERC-${token.standard} token on Flow EVM: ${holders}, ${counted(token.transfer_count, 'transfer')}.`,
    path: `/evm/token/${address}`,
    facts: [],
    label: symbol,
    message: holders,
    tone: 'neutral',
  }
}

async function summarizeEvmTransaction(text: string, { database }: SummarySource): Promise<Summary | 'unknown'> {
  if (!hashPattern.test(text)) return 'unknown'
  const place = await findEvmTransaction(database, text.slice(-64).toLowerCase())
  const [row] = place === undefined ? [] : await readEvmTransactions(database, [place])
  if (row === undefined) return 'unknown'
  const status = statuses[row.evm_status === 1 ? 'SUCCESS' : 'FAILURE']
  return {
    kind: 'transaction',
    title: `EVM transaction ${shortened(row.evm_hash)}`,
    description:
      `${status.text} in EVM block ${grouped(row.evm_block_height)} at ${timeText(row.timestamp)}, gas ` +
      `${grouped(row.evm_gas_used)}.`,
    path: `/evm/transaction/0x${row.evm_hash}`,
    facts: [],
    label: 'EVM transaction',
    message: status.text.toLowerCase(),
    tone: status.tone,
  }
}

function valueOf<Value>(parameter: z.ZodType<Value>, text: string): Value | undefined {
  const { data } = parameter.safeParse(text)
  return data
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return ''
    throw error
  }
}

const whole = new Intl.NumberFormat('en-US')

function grouped(value: number): string {
  return whole.format(value)
}

function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

function symbolText(token: string, symbol: string | null): string {
  const { name } = contractParts(token)
  return plainText(symbol ?? (name === 'FlowToken' ? 'FLOW' : name), 20)
}

/** `4000.00500000` → `4,000.005`. */
function amountText(amount: string): string {
  const [digits = '0', fraction = ''] = amount.split('.')
  const rest = fraction.replace(/0+$/, '')
  return `${whole.format(BigInt(digits))}${rest === '' ? '' : `.${rest}`}`
}

function timeText(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`
}

function shortened(id: string): string {
  return id.length <= 18 ? id : `${id.slice(0, 8)}…${id.slice(-8)}`
}

/** Without control characters and marks that change the direction of text. */
function plainText(text: string, max: number): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').trim()
  const characters = Array.from(plain)
  return characters.length <= max ? plain : `${characters.slice(0, max - 1).join('')}…`
}
