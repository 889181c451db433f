import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { parseAddress } from '../../flow/address.ts'
import { ApiError } from '../../platform/errors.ts'
import { readContracts } from '../contracts/queries.ts'
import { exampleEvmTransaction } from '../evm/schema.ts'
import { readEvmTokens } from '../evm/token-queries.ts'
import { presentEvmToken } from '../evm/token-schema.ts'
import { contractParts, hashPattern } from '../formats.ts'
import { exampleNftCollection, presentNftItem } from '../nfts/schema.ts'
import type { NftItemRow } from '../nfts/schema.ts'
import { readNftCollections, readNftItems } from '../nfts/queries.ts'
import { readSearchQuery, searchNftItems } from '../nfts/search.ts'
import { readBounds } from '../paging/bounds.ts'
import { limitParameter, searchParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { readFungibleTokens } from '../tokens/queries.ts'
import { exampleBlock, exampleTransaction } from '../transactions/schema.ts'
import { findHits } from './hits.ts'
import { matchOfName, nameMatches } from './name-index.ts'
import type { MatchedEntry, NameIndex, NameMatch } from './name-index.ts'
import { readNames } from './names.ts'
import type { NameKind } from './names.ts'
import { searchPreviewSchema, previewAddress, previewTransaction } from './preview.ts'
import {
  labelRow,
  presentFoundCollection,
  presentFoundEvmToken,
  presentFoundItem,
  presentFoundToken,
  searchExampleSchema,
  searchResultSchema,
} from './schema.ts'
import type { FoundAccount, FoundContract, FoundEvmToken, FoundItem, SearchExample, SearchResult } from './schema.ts'
import { searchOwnTables } from './own-tables.ts'
import { readWorkers } from '../own/tables.ts'
import { parseSearchText } from './search-text.ts'
import type { SearchText } from './search-text.ts'

const tag = 'Search'

const search = defineRoute({
  path: '/flow/search',
  operationId: 'search',
  cost: 'high',
  tag,
  summary: 'Search by name, height, date, id, hash, address, public key or link',
  description:
    'Heights may have separators (`1,234,567`), identifiers may be shortened (`0xf8d6…20c7`), and links of other ' +
    'explorers are read. Shortened transaction ids and EVM hashes are found among the newest 20,000. Names match in ' +
    'any case and without spaces. Names with one typing error (from 4 letters) or two (from 8) follow unless a ' +
    'better match exists.',
  query: z.object({
    q: searchParameter(
      'Name, symbol or `A.<address>.<name>` identifier; block height, day or time (UTC); block, transaction or node ' +
        'id; EVM hash; account or EVM address; public key in hex, base64 or PEM; `<collection> #<id>`; or a link.',
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
          match: 'exact',
        },
      ],
      tokens: [],
      evm_tokens: [],
      nft_collections: [
        {
          id: exampleNftCollection.id,
          address: exampleNftCollection.address,
          contract_name: exampleNftCollection.contract_name,
          name: exampleNftCollection.name,
          item_count: exampleNftCollection.number_of_tokens,
          square_image: exampleNftCollection.square_image,
          is_verified: true,
          match: 'exact',
        },
      ],
      accounts: [
        { address: '0x0b2a3299cc857e29', tag: 'top-shot', label: 'NBA Top Shot', category: 'nft', match: 'word' },
      ],
      nft_items: [],
      event_types: [{ type: 'A.0b2a3299cc857e29.TopShot.MomentMinted', event_count: 31_000_000, match: 'start' }],
      own_tables: [],
    },
  },
  handler: async ({ query: { q, limit } }, services) => {
    const { database } = services
    const text = parseSearchText(q)
    const names = await readNames(database)
    const [hits, items] = await Promise.all([
      findHits(services, text),
      findItems(database, text, names.search(text.item?.collection ?? '', maxCollections), limit),
    ])
    const entries = findNames(names, text, limit, hits.length + items.length > 0)
    const ofKind = (wanted: NameKind): readonly Entry[] => entries.filter(({ kind }) => kind === wanted).slice(0, limit)
    const [contracts, tokens, evmTokens, collections, accounts] = await Promise.all([
      describeContracts(database, ofKind('contract')),
      describeTokens(database, ofKind('token'), readFungibleTokens, presentFoundToken),
      describeEvmTokens(services, ofKind('evm_token')),
      describeTokens(database, ofKind('collection'), readNftCollections, presentFoundCollection),
      describeAccounts(database, ofKind('account')),
    ])
    const result: SearchResult = {
      hits: [...hits],
      contracts,
      tokens,
      evm_tokens: evmTokens,
      nft_collections: collections,
      accounts: [...accounts],
      nft_items: items,
      event_types: ofKind('event_type').map(({ id, weight, match }) => ({ type: id, event_count: weight, match })),
      own_tables: searchOwnTables(await readWorkers(database), q, limit),
    }
    return { body: { data: ofWantedKind(result, text) } }
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
  handler: async ({ query: { q, type } }, { database, network, chain }) => {
    if (type !== 'address' && hashPattern.test(q)) {
      return { body: { data: await previewTransaction(database, network(), q, q.slice(-64).toLowerCase()) } }
    }
    const address = /^(?:0x)?[0-9a-f]{40}$/i.test(q) ? `0x${q.slice(-40).toLowerCase()}` : parseAddress(q)
    if (type === 'tx' || address === undefined) {
      const forms = { tx: '64 hex digits', address: '16 or 40 hex digits', any: '16, 40 or 64 hex digits' }
      throw new ApiError(400, 'invalid-parameter', `Parameter "q" must have ${forms[type ?? 'any']}.`, { field: 'q' })
    }
    return { body: { data: await previewAddress({ database, chain }, q, address) } }
  },
})

const examples = defineRoute({
  path: '/flow/search/examples',
  operationId: 'listSearchExamples',
  tag,
  summary: 'Search texts that find something in this database',
  response: z.strictObject({ data: z.array(searchExampleSchema) }),
  example: { data: [{ kind: 'token', text: 'FLOW' }] },
  handler: async (_, { database }) => {
    return { body: { data: await readExamples(database) }, caching: 'minute' }
  },
})

/** Precede `/flow/search/…` of other routes. */
export const searchRoutes = [search, preview, examples]

type Entry = MatchedEntry<NameKind>

/** Similar names only if nothing else is found. A number matches names that start with it. */
function findNames(names: NameIndex<NameKind>, text: SearchText, limit: number, isFound: boolean): readonly Entry[] {
  const isNumber = text.references.some(({ form }) => form === 'number')
  const entries = namesOf(text)
    .flatMap((name) => names.search(name, limit))
    .filter(({ match }) => (isNumber ? match === 'exact' || match === 'start' : !isFound || match !== 'similar'))
  return entries.filter(({ kind, id }, i) => entries.findIndex((other) => other.kind === kind && other.id === id) === i)
}

/** An account also stands for its contracts, and an event type for its contract. */
function namesOf({ name, references }: SearchText): readonly string[] {
  const contract = /^(A\.[0-9a-f]{16}\.\w+)\.\w/.exec(name ?? '')?.[1]
  const accounts = references.flatMap((one) => (one.form === 'account' ? [`A.${one.address.slice(2)}.`] : []))
  return [...(name === undefined ? [] : [name]), ...(contract === undefined ? [] : [contract]), ...accounts]
}

/** A link or a leading word such as `block` names the kind; without such a result all are shown. */
function ofWantedKind(result: SearchResult, { kind, item }: SearchText): SearchResult {
  const hits = result.hits.filter(({ type }) => type === kind)
  if (hits.length > 0) return { ...nothing, hits }
  switch (kind) {
    case 'contract':
      return only(result, 'contracts')
    case 'token':
      return only(result, 'tokens')
    case 'collection':
      return only(result, item === undefined ? 'nft_collections' : 'nft_items')
    case 'event_type':
      return only(result, 'event_types')
    default:
      return result
  }
}

const nothing: SearchResult = {
  hits: [],
  contracts: [],
  tokens: [],
  evm_tokens: [],
  nft_collections: [],
  accounts: [],
  nft_items: [],
  event_types: [],
  own_tables: [],
}

function only(result: SearchResult, group: keyof SearchResult): SearchResult {
  return result[group].length === 0 ? result : { ...nothing, [group]: result[group] }
}

async function describeContracts(database: DatabasePool, entries: readonly Entry[]): Promise<FoundContract[]> {
  const rows = await readContracts(
    database,
    entries.map(({ id }) => id),
    false,
  )
  const kinds = new Map(rows.map(({ contract, kind }) => [contract, kind]))
  return entries.map(({ id, weight, match }) => ({
    id,
    ...contractParts(id),
    kind: kinds.get(id) ?? null,
    dependent_count: weight,
    match,
  }))
}

async function describeTokens<Row extends { readonly token: string }, Found>(
  database: DatabasePool,
  entries: readonly Entry[],
  read: (database: DatabasePool, tokens: readonly string[]) => Promise<readonly Row[]>,
  present: (row: Row, match: Entry['match']) => Found,
): Promise<Found[]> {
  const rows = await read(
    database,
    entries.map(({ id }) => id),
  )
  const byToken = new Map(rows.map((row) => [row.token, row]))
  return entries.flatMap(({ id, match }) => {
    const row = byToken.get(id)
    return row === undefined ? [] : [present(row, match)]
  })
}

async function describeEvmTokens(services: Services, entries: readonly Entry[]): Promise<FoundEvmToken[]> {
  const rows = await readEvmTokens(
    services.database,
    entries.map(({ id }) => id),
  )
  return entries.flatMap(({ id, match }) => {
    const row = rows.find(({ token }) => token === id)
    return row === undefined ? [] : [presentFoundEvmToken(presentEvmToken(row, services.network()), match)]
  })
}

async function describeAccounts(database: DatabasePool, entries: readonly Entry[]): Promise<readonly FoundAccount[]> {
  if (entries.length === 0) return []
  const rows = await database.any(sql.type(labelRow)`
    select address, tag, label, category from app.account_labels
    where (address, tag) in (select address, tag from ${sql.unnest(
      entries.map(({ id }) => id.split(' ')),
      ['text', 'text'],
    )} as k (address, tag))
  `)
  const byKey = new Map(rows.map((row) => [`${row.address} ${row.tag}`, row]))
  return entries.flatMap(({ id, match }) => {
    const row = byKey.get(id)
    return row === undefined ? [] : [{ ...row, match }]
  })
}

/** Collections that are tried for an item id. */
const maxCollections = 5

/** Shorter words match too many items. */
const minItemName = 3

async function findItems(
  database: DatabasePool,
  { item, name, references }: SearchText,
  entries: readonly Entry[],
  limit: number,
): Promise<FoundItem[]> {
  const keys = entries
    .filter(({ kind }) => kind === 'collection')
    .map(({ id }) => ({ token: id, nft_id: item?.id ?? '' }))
  const byId = await readNftItems(database, keys)
  const isName = byId.length === 0 && references.length === 0 && (name ?? '').length >= minItemName
  const query = isName ? await readSearchQuery(database, name ?? '') : undefined
  const named =
    query === undefined
      ? []
      : (await searchNftItems(database, { query, token: undefined, after: undefined, limit })).rows
  const present = (row: NftItemRow, match?: NameMatch): FoundItem => {
    const shown = presentNftItem(row, new Map())
    return presentFoundItem(shown, match ?? matchOfName(name ?? '', shown.name))
  }
  return [...byId.map((row) => present(row, 'exact')), ...named.map((row) => present(row))]
    .toSorted((a, b) => nameMatches.indexOf(a.match) - nameMatches.indexOf(b.match))
    .slice(0, limit)
}

const exampleRow = z.object({ id: z.string() })
const dayRow = z.object({ day: z.string() })

async function readExamples(database: DatabasePool): Promise<SearchExample[]> {
  const bounds = await readBounds(database)
  if (bounds === undefined) return []
  const [transaction, account, day, names] = await Promise.all([
    database.maybeOne(sql.type(exampleRow)`
      select encode(id, 'hex') as id from raw.transactions
      where block_height between ${bounds.max - 1000} and ${bounds.max} and payer_address is not null
      order by block_height desc, tx_index desc limit 1
    `),
    database.maybeOne(sql.type(exampleRow)`
      select address as id from app.address_stats order by tx_count desc, address limit 1
    `),
    database.maybeOne(
      sql.type(dayRow)`select day::text as day from app.hourly_stats order by day desc, hour desc limit 1`,
    ),
    readNames(database).then((index) => index.best()),
  ])
  const nameOf = (kind: NameKind): string | undefined => names.get(kind)?.names[0]
  const symbol = names.get('token')?.names
  return [
    { kind: 'block' as const, text: bounds.max.toLocaleString('en-US') },
    { kind: 'day' as const, text: day?.day },
    { kind: 'transaction' as const, text: transaction && `${transaction.id.slice(0, 6)}…${transaction.id.slice(-4)}` },
    { kind: 'account' as const, text: account?.id },
    { kind: 'token' as const, text: symbol?.[1] ?? symbol?.[0] },
    { kind: 'nft_collection' as const, text: nameOf('collection') },
    { kind: 'contract' as const, text: nameOf('contract') },
    { kind: 'event_type' as const, text: nameOf('event_type') },
  ].flatMap(({ kind, text }) => (text === undefined || text === null ? [] : [{ kind, text }]))
}
