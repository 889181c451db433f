import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { hashPattern, heightFormat, timestampFormat } from '../formats.ts'
import { listOf, wholeList } from '../paging/pages.ts'
import { limitParameter, searchParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { describeEvmAddresses, findEvmTransaction, readEvmAddressSpan, readEvmTransactions } from './queries.ts'
import { exampleEvmToken } from './schema.ts'
import { searchEvmTokens } from './token-queries.ts'
import { evmHashFormat, evmPartySchema, isContract, presentEvmTokenRef, tokenStandardFormat } from './token-schema.ts'

const hitSchema = z
  .strictObject({
    type: z.enum(['token', 'contract', 'address', 'transaction']),
    address: evmPartySchema.shape.hash.nullable().describe('Null for transactions.'),
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    token_type: tokenStandardFormat.nullable(),
    icon_url: z.string().nullable(),
    transaction_hash: evmHashFormat.nullable(),
    block_number: heightFormat.nullable().describe('EVM block number; null except for transactions.'),
    timestamp: timestampFormat.nullable(),
  })
  .meta({ id: 'EvmSearchHit' })
type Hit = z.output<typeof hitSchema>

const nothing: Omit<Hit, 'type'> = {
  address: null,
  name: null,
  symbol: null,
  token_type: null,
  icon_url: null,
  transaction_hash: null,
  block_number: null,
  timestamp: null,
}

const evmSearch = defineRoute({
  path: '/flow/evm/search',
  operationId: 'searchEvm',
  tag: 'EVM',
  summary: 'Search for EVM tokens, addresses and transactions',
  query: z.object({
    q: searchParameter('Words of the name or symbol of a token, or a complete address or transaction hash.'),
    limit: limitParameter({ default: 20, max: 50 }),
  }),
  response: listOf(hitSchema, 'EvmSearchHit'),
  example: {
    data: [
      {
        ...nothing,
        type: 'token',
        address: exampleEvmToken.address,
        name: exampleEvmToken.name,
        symbol: exampleEvmToken.symbol,
        token_type: exampleEvmToken.type,
      },
    ],
    has_more: false,
    cursor: '',
    _meta: { count: 1 },
  },
  handler: async ({ query: { q, limit } }, services) => ({ body: wholeList(await findHits(q, limit, services)) }),
})

async function findHits(text: string, limit: number, { database, network }: Services): Promise<Hit[]> {
  if (hashPattern.test(text)) return findTransaction(database, text.slice(-64).toLowerCase())
  const [, digits] = /^(?:0x)?([0-9a-f]{40})$/i.exec(text) ?? []
  if (digits !== undefined) return findAddress(database, digits.toLowerCase())
  const rows = await searchEvmTokens(database, text, limit)
  return rows.map((row) => {
    const { address, name, symbol, type, icon_url } = presentEvmTokenRef(row, network())
    return { ...nothing, type: 'token', address, name, symbol, token_type: type, icon_url }
  })
}

async function findTransaction(database: DatabasePool, hash: string): Promise<Hit[]> {
  const place = await findEvmTransaction(database, hash)
  const rows = place === undefined ? [] : await readEvmTransactions(database, [place])
  return rows.map(({ evm_hash, evm_block_height, timestamp }) => ({
    ...nothing,
    type: 'transaction',
    transaction_hash: `0x${evm_hash}`,
    block_number: evm_block_height,
    timestamp,
  }))
}

async function findAddress(database: DatabasePool, digits: string): Promise<Hit[]> {
  const [span, directory] = await Promise.all([
    readEvmAddressSpan(database, digits),
    describeEvmAddresses(database, [digits]),
  ])
  const facts = directory.get(digits)
  if (facts === undefined || (span.first_height === null && facts.name === null)) return []
  const type = isContract(facts) === true && !facts.is_coa ? 'contract' : 'address'
  return [{ ...nothing, type, address: `0x${digits}`, name: facts.name }]
}

export const evmSearchRoutes = [evmSearch]
