import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { parseAddress } from '../../flow/address.ts'
import { ApiError } from '../../platform/errors.ts'
import { exampleEvmTransaction } from '../evm/schema.ts'
import { exampleNftCollection } from '../nfts/schema.ts'
import { exampleBlock, exampleTransaction } from '../transactions/schema.ts'
import { contractParts, hashPattern } from '../formats.ts'
import { limitParameter, searchParameter } from '../parameters.ts'
import { searchPreviewSchema, previewAddress, previewTransaction } from './preview.ts'
import { presentFoundCollection, presentFoundToken, searchResultSchema, foundAccountSchema, findHits } from './hits.ts'
import type { FoundAccount, FoundContract } from './hits.ts'
import { readContractGraph } from '../contracts/graph.ts'
import { readContracts } from '../contracts/queries.ts'
import { listFungibleTokens } from '../tokens/queries.ts'
import { listNftCollections } from '../nfts/queries.ts'
import { defineRoute } from '../route.ts'

const tag = 'Search'

const search = defineRoute({
  path: '/flow/search',
  operationId: 'search',
  cost: 'high',
  tag,
  summary: 'Search by name, height, id, hash or address',
  query: z.object({
    q: searchParameter(
      'Part of a name or identifier, case-insensitive; or a complete block height or id, transaction id, EVM hash, ' +
        'scheduled transaction id, account (0x and up to 16 hex digits), EVM address, or public key in hex.',
    ),
    limit: limitParameter({ default: 3, max: 20 }).describe('Maximum number of results per kind.'),
  }),
  response: z.strictObject({ data: searchResultSchema }),
  example: {
    data: {
      hits: [
        {
          type: 'block',
          id: exampleBlock.id,
          block_height: exampleBlock.height,
          path: `/flow/block/${exampleBlock.height}`,
        },
      ],
      contracts: [
        {
          id: 'A.0b2a3299cc857e29.TopShot',
          address: '0x0b2a3299cc857e29',
          name: 'TopShot',
          kind: 'NFT',
          dependent_count: 61,
        },
      ],
      tokens: [],
      nft_collections: [
        {
          id: exampleNftCollection.id,
          address: exampleNftCollection.address,
          contract_name: exampleNftCollection.contract_name,
          name: exampleNftCollection.name,
          item_count: exampleNftCollection.number_of_tokens,
          square_image: exampleNftCollection.square_image,
          is_verified: true,
        },
      ],
      accounts: [{ address: '0x0b2a3299cc857e29', tag: 'top-shot', label: 'NBA Top Shot', category: 'nft' }],
    },
  },
  handler: async ({ query: { q, limit } }, services) => {
    const { database } = services
    const listing = { sort: 'holders', search: q, after: undefined, limit } as const
    const [hits, contracts, tokens, collections, accounts] = await Promise.all([
      findHits(services, q),
      findContracts(database, q, limit),
      listFungibleTokens(database, { ...listing, filters: [] }),
      listNftCollections(database, { ...listing, isBridged: false }),
      findLabelledAccounts(database, q, limit),
    ])
    return {
      body: {
        data: {
          hits,
          contracts,
          tokens: tokens.map(presentFoundToken),
          nft_collections: collections.map(presentFoundCollection),
          accounts: [...accounts],
        },
      },
    }
  },
})

const preview = defineRoute({
  path: '/flow/search/preview',
  operationId: 'previewSearch',
  cost: 'high',
  tag,
  summary: 'Preview of a transaction or address on Flow and the EVM',
  description: 'A side without indexed data is null.',
  query: z.object({
    q: searchParameter('Transaction id or EVM hash (64 hex digits), Flow account (16) or EVM address (40).'),
    type: z.enum(['tx', 'address']).optional().describe('Kind. Default: derived from the number of digits.'),
  }),
  response: z.strictObject({ data: searchPreviewSchema }),
  example: {
    data: {
      query: exampleTransaction.id,
      type: 'tx',
      cadence: {
        id: exampleTransaction.id,
        status: 'SEALED',
        execution_status: 'SUCCESS',
        block_height: exampleBlock.height,
        timestamp: exampleBlock.timestamp,
        authorizers: exampleTransaction.authorizers,
        is_evm: true,
        gas_used: 14,
        tags: ['EVM'],
      },
      evm: exampleEvmTransaction,
      link: { cadence_tx_id: exampleTransaction.id, evm_hash: exampleEvmTransaction.hash },
      scheduled: null,
    },
  },
  handler: async ({ query: { q, type } }, { database, network }) => {
    if (type !== 'address' && hashPattern.test(q)) {
      return { body: { data: await previewTransaction(database, network(), q, q.slice(-64).toLowerCase()) } }
    }
    const address = /^(?:0x)?[0-9a-f]{40}$/i.test(q) ? `0x${q.slice(-40).toLowerCase()}` : parseAddress(q)
    if (type === 'tx' || address === undefined) {
      const forms = { tx: '64 hex digits', address: '16 or 40 hex digits', any: '16, 40 or 64 hex digits' }
      throw new ApiError(400, 'invalid-parameter', `Parameter "q" must have ${forms[type ?? 'any']}.`, { field: 'q' })
    }
    return { body: { data: await previewAddress(database, q, address) } }
  },
})

export const searchRoutes = [search, preview]

/** Case-insensitive; exact names first, then by dependents. */
async function findContracts(database: DatabasePool, text: string, limit: number): Promise<FoundContract[]> {
  const wanted = text.toLowerCase()
  const { ranked } = await readContractGraph(database)
  const found = ranked.filter(({ contract }) => contract.toLowerCase().includes(wanted))
  const isNamed = ({ contract }: { contract: string }): boolean => contract.toLowerCase().endsWith(`.${wanted}`)
  const shown = [...found.filter(isNamed), ...found.filter((entry) => !isNamed(entry))].slice(0, limit)
  const rows = new Map(
    (
      await readContracts(
        database,
        shown.map(({ contract }) => contract),
        false,
      )
    ).map((row) => [row.contract, row]),
  )
  return shown.map(({ contract, dependents }) => ({
    id: contract,
    ...contractParts(contract),
    kind: rows.get(contract)?.kind ?? null,
    dependent_count: dependents,
  }))
}

/** Case-insensitive. */
async function findLabelledAccounts(
  database: DatabasePool,
  text: string,
  limit: number,
): Promise<readonly FoundAccount[]> {
  return database.any(sql.type(foundAccountSchema)`
    select address, tag, label, category from app.account_labels
    where strpos(lower(label), lower(${text})) > 0
    order by label, address, tag
    limit ${limit}
  `)
}
