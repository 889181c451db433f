import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { isValidAddress } from '../../flow/address.ts'
import { ScriptFailedError } from '../../flow/chain-reader.ts'
import type { Network } from '../../flow/network.ts'
import { ApiError } from '../../platform/errors.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { readContractCode, readContracts } from '../contracts/queries.ts'
import type { ContractCode } from '../contracts/queries.ts'
import { addressFormat, countFormat, heightFormat, timestampFormat } from '../formats.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { listOf, page, singleOf, wholeList, keyCursor, keyParts } from '../paging/pages.ts'
import { accountParameter, limitParameter, partyParameter } from '../parameters.ts'
import {
  chainUnavailableProblem,
  maxUnindexedAccounts,
  resultOrUnavailable,
  ChainUnavailableError,
} from '../present-chain.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'
import { readTransactionIds } from '../transactions/queries.ts'
import {
  exampleAccount,
  exampleAccountDetail,
  exampleCoa,
  examplePublicKey,
  accountDetailSchema,
  accountSchema,
  labelSchema,
  presentAccount,
  presentIndexedAccount,
  presentLiveAccount,
  listedAccountRow,
  coaSchema,
  presentCoa,
  presentPublicKey,
  publicKeySchema,
} from './schema.ts'
import {
  publicKeyBytes,
  publicKeyParameter,
  listKeysByPublicKeys,
  withKeysOfChain,
  listLabels,
  readIndexedAccount,
  readReach,
  flowTokenOf,
  listCoas,
} from './queries.ts'
import type { AccountDetail, Coa, IndexedAccount, ListedAccountRow, LiveAccount } from './schema.ts'
import { findCoaOwner, readCoaAddress } from './coa-owner.ts'
import { readStorageOverview } from './storage.ts'

const accountOrders = ['block_height', 'tx_count', 'flow_balance', 'first_seen'] as const
type AccountOrder = (typeof accountOrders)[number]

/** The sort value is a decimal string. */
interface AccountPlace {
  readonly value: string
  readonly address: string
}

interface AccountIndex {
  readonly table: FragmentSqlToken
  readonly column: FragmentSqlToken
  readonly type: FragmentSqlToken
  readonly listed: FragmentSqlToken
}

function indexOf(order: AccountOrder, network: Network): AccountIndex {
  const accounts = { table: sql.fragment`app.accounts`, type: sql.fragment`int8`, listed: sql.fragment`true` }
  const indexes: Readonly<Record<AccountOrder, AccountIndex>> = {
    block_height: { ...accounts, column: sql.fragment`last_seen_height` },
    first_seen: { ...accounts, column: sql.fragment`first_seen_height` },
    tx_count: { ...accounts, table: sql.fragment`app.address_stats`, column: sql.fragment`tx_count` },
    flow_balance: {
      table: sql.fragment`app.ft_holdings`,
      column: sql.fragment`balance`,
      type: sql.fragment`numeric`,
      listed: sql.fragment`token = ${flowTokenOf(network)} and balance > 0`,
    },
  }
  return indexes[order]
}

/**
 * Highest first, ties by address. Many accounts share a low count, so ties of the cursor are read
 * by a separate index range.
 */
export async function listAccounts(
  database: DatabasePool,
  network: Network,
  order: AccountOrder,
  after: AccountPlace | undefined,
  count: number,
): Promise<readonly ListedAccountRow[]> {
  const { table, column, type, listed } = indexOf(order, network)
  const pageAfter = ({ value, address }: AccountPlace): FragmentSqlToken => sql.fragment`
    (select address, ${column} as value from ${table}
      where ${listed} and ${column} = ${value}::${type} and address > ${address}
      order by ${column} desc, address limit ${count})
    union all
    (select address, ${column} as value from ${table}
      where ${listed} and ${column} < ${value}::${type}
      order by ${column} desc, address limit ${count})
  `
  const firstPage = sql.fragment`
    select address, ${column} as value from ${table} where ${listed} order by ${column} desc, address limit ${count}
  `
  return database.any(sql.type(listedAccountRow)`
    with page as materialized (
      select address, value from (${after === undefined ? firstPage : pageAfter(after)}) as listed
      order by value desc, address limit ${count}
    )
    select p.address, p.value::text as sort_value, a.first_seen_height, a.last_seen_height, a.created_height,
      a.created_tx_index, coalesce(s.tx_count, 0) as tx_count, h.balance::text as flow_balance,
      (select l.label from app.account_labels l where l.address = p.address order by l.tag limit 1) as label
    from page p
    left join app.accounts a on a.address = p.address
    left join app.address_stats s on s.address = p.address
    left join app.ft_holdings h on h.address = p.address and h.token = ${flowTokenOf(network)}
    order by p.value desc, p.address
  `)
}

const accountCursor = keyCursor({ value: keyParts.amount, address: /0x[0-9a-f]{16}/ })

const accountList = defineRoute({
  path: '/flow/account',
  operationId: 'listAccounts',
  tag: 'Accounts',
  summary: 'Accounts',
  description:
    'Indexed data. Sorting by `tx_count` omits accounts without transactions; sorting by `flow_balance` omits ' +
    'accounts without indexed FLOW vaults.',
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: accountCursor.parameter,
    sort_by: z
      .enum(accountOrders, `must be one of ${accountOrders.join(', ')}`)
      .default('block_height')
      .describe('Sort by last active block, transaction count, FLOW balance or first block; descending.'),
  }),
  response: listOf(accountSchema, 'Account'),
  example: {
    data: [exampleAccount],
    has_more: true,
    cursor: `${exampleAccount.height}:${exampleAccount.address}`,
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor, sort_by: order } }, { database, network }) => {
    const after = accountCursor.parse(cursor)
    if (after !== undefined && order !== 'flow_balance' && !/^\d{1,15}$/.test(after.value)) {
      throw new ApiError(400, 'invalid-parameter', `Parameter "cursor" does not match the sort order ${order}.`, {
        field: 'cursor',
      })
    }
    const rows = await listAccounts(database, network(), order, after, limit + 1)
    const times = await readBlockTimes(
      database,
      rows.slice(0, limit).map((row) => row.last_seen_height),
    )
    const place = ({ sort_value: value, address }: (typeof rows)[number]): string =>
      accountCursor.format({ value, address })
    return { body: page(rows, limit, (row) => presentAccount(row, times), place) }
  },
})

const account = defineRoute({
  path: '/flow/account/{address}',
  operationId: 'getAccount',
  tag: 'Accounts',
  summary: 'Account',
  description:
    'Balance, keys, contracts and storage are read from the newest sealed block. If no access node responds in ' +
    'time, indexed data is returned and `_rpcUnavailable` is true. Other fields are indexed data.',
  params: z.object({ address: accountParameter() }),
  response: singleOf(accountDetailSchema, 'Account'),
  problems: {
    404: 'The account does not exist.',
    503: 'The account is not indexed and no access node responds.',
  },
  example: { data: [exampleAccountDetail] },
  handler: async ({ params: { address } }, services) => {
    const [indexed, live] = await Promise.all([
      readIndexedAccount(services.database, services.network(), address),
      askAccount(address, services),
    ])
    return { body: { data: [await presentPresent(address, indexed, live, services)] } }
  },
})

async function askAccount(
  address: string,
  { chain, network }: Services,
): Promise<LiveAccount | undefined | ChainUnavailableError> {
  if (!isValidAddress(address, network())) return undefined
  const storageResult = readStorageOverview(chain, address, 0).catch((error: unknown) => {
    if (error instanceof ChainUnavailableError || error instanceof ScriptFailedError) return undefined
    throw error
  })
  const [result, storage] = await Promise.all([resultOrUnavailable(chain.account(address)), storageResult])
  if (result instanceof ChainUnavailableError) return result
  return result.value === undefined ? undefined : { account: result.value, storage }
}

async function presentPresent(
  address: string,
  indexed: IndexedAccount | undefined,
  live: Awaited<ReturnType<typeof askAccount>>,
  services: Services,
): Promise<AccountDetail> {
  if (live !== undefined && !(live instanceof ChainUnavailableError)) {
    return presentLiveAccount(live, indexed, indexed?.labels ?? (await listLabels(services.database, address)))
  }
  const isSilent = live instanceof ChainUnavailableError
  if (indexed !== undefined) {
    return presentIndexedAccount(indexed, await readReach(services.database, 'accounts_worker'), isSilent)
  }
  if (isSilent) throw chainUnavailableProblem(live)
  throw new ApiError(404, 'unknown-account', `Account ${address} does not exist.`, { field: 'address' })
}

const labels = defineRoute({
  path: '/flow/account/{address}/labels',
  operationId: 'listAccountLabels',
  tag: 'Accounts',
  summary: 'Labels of an account',
  params: z.object({ address: accountParameter() }),
  response: listOf(labelSchema, 'AccountLabel'),
  example: wholeList(exampleAccountDetail.labels),
  handler: async ({ params: { address } }, { database }) => {
    return { body: wholeList([...(await listLabels(database, address))]) }
  },
})

export const accountRoutes = [accountList, account, labels]

const publicKeyCursor = keyCursor({ revoked: /[01]/, address: /0x[0-9a-f]{16}/, key_index: keyParts.index })

const publicKey = defineRoute({
  path: '/flow/key/{publicKey}',
  operationId: 'listAccountsOfPublicKey',
  tag: 'Accounts',
  summary: 'Accounts with a public key, active keys first',
  description:
    'Covers keys added by indexed transactions and, if blocks are indexed from the first, keys of up to ' +
    `${maxUnindexedAccounts} genesis accounts. Access nodes cannot look up accounts by key, so another key from ` +
    'before ' +
    'the first indexed block is found only after its account was requested from this process.',
  params: z.object({ publicKey: publicKeyParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: publicKeyCursor.parameter }),
  response: listOf(publicKeySchema, 'PublicKey'),
  problems: { 404: 'No known account has or had this key.' },
  example: { data: [examplePublicKey], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { publicKey: digits }, query: { limit, cursor } }, services) => {
    const place = publicKeyCursor.parse(cursor)
    const after =
      place === undefined
        ? undefined
        : {
            isRevoked: place.revoked === '1',
            address: place.address,
            index: Number(place.key_index),
          }
    const keys = publicKeyBytes(digits)
    const indexed = await listKeysByPublicKeys(services.database, keys, after, limit + 1)
    const isWhole = after === undefined && indexed.length <= limit
    const rows = isWhole ? await withKeysOfChain(services, keys, indexed, limit) : indexed
    if (after === undefined && rows.length === 0) {
      throw new ApiError(
        404,
        'unknown-key',
        'No known account has or had this key. A key from before the first indexed block is found only after its ' +
          'account was requested.',
        { field: 'publicKey' },
      )
    }
    return {
      body: page(rows, limit, presentPublicKey, ({ is_revoked: isRevoked, address, key_index: index }) =>
        publicKeyCursor.format({ revoked: isRevoked ? 1 : 0, address, key_index: index }),
      ),
    }
  },
})

const coa = defineRoute({
  path: '/flow/coa/{address}',
  operationId: 'getCoaMapping',
  tag: 'Accounts',
  summary: 'Cadence-owned accounts (COAs) by Flow or EVM address',
  description:
    'Sorted by creation. Without an indexed creation, the COA that the account stores at `/storage/evm` now.',
  params: z.object({ address: partyParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: eventCursor.parameter }),
  response: listOf(coaSchema, 'CoaMapping'),
  problems: { 404: 'No COA is known for the address.' },
  example: { data: [exampleCoa], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { address }, query: { limit, cursor } }, { database, chain }) => {
    const after = parseEventCursor(cursor)
    const rows = await listCoas(database, address, after, limit + 1)
    if (after === undefined && rows.length === 0) {
      const isEvm = address.length === 42
      const [owner, owned] = await Promise.all([
        isEvm ? findCoaOwner({ database, chain }, address) : address,
        isEvm ? address : readCoaAddress({ database, chain }, address),
      ])
      if (owner !== null && owned !== null) return { body: wholeList([coaOfChain(owned, owner)]) }
      const detail = isEvm ? `EVM address ${address} is not a known COA.` : `Account ${address} has no known COA.`
      throw new ApiError(404, 'unknown-coa', detail, { field: 'address' })
    }
    const shown = rows.slice(0, limit)
    const [times, idAt] = await Promise.all([
      readBlockTimes(
        database,
        shown.map((row) => row.block_height),
      ),
      readTransactionIds(database, shown),
    ])
    return {
      body: page(
        rows,
        limit,
        (row) => presentCoa(row, idAt(row), times),
        (row) => eventCursor.format(row),
      ),
    }
  },
})

function coaOfChain(coa: string, owner: string): Coa {
  return {
    coa_address: coa,
    flow_address: owner,
    owner_evidence: 'storage',
    transaction_id: null,
    block_height: null,
    timestamp: null,
  }
}

export const accountLookupRoutes = [publicKey, coa]

const accountContractSchema = z
  .strictObject({
    address: addressFormat,
    name: z.string(),
    byte_size: countFormat.describe('Size in bytes (UTF-8).'),
    code: z.string().describe('Cadence source.'),
    fetched_at: timestampFormat.describe('Time of the response.'),
    source: z.enum(['chain', 'index']),
    as_of_height: heightFormat.nullable().describe('Block that deployed this code; null if read from the chain.'),
    _rpcUnavailable: z
      .literal(true)
      .optional()
      .describe('Present if no access node responded, so the code is indexed data.'),
  })
  .meta({ id: 'AccountContract' })
export type AccountContract = z.output<typeof accountContractSchema>

function presentLiveCode(address: string, name: string, code: Buffer): AccountContract {
  return {
    address,
    name,
    byte_size: code.length,
    code: code.toString('utf8'),
    fetched_at: new Date().toISOString(),
    source: 'chain',
    as_of_height: null,
  }
}

function presentIndexedCode(
  address: string,
  name: string,
  { text, bytes }: ContractCode,
  height: number,
): AccountContract {
  return {
    address,
    name,
    byte_size: bytes,
    code: text,
    fetched_at: new Date().toISOString(),
    source: 'index',
    as_of_height: height,
    _rpcUnavailable: true,
  }
}

const code = 'access(all) contract HelloWorld {\n    access(all) fun hello(): String { return "Hello" }\n}\n'

const accountContract = defineRoute({
  path: '/flow/account/{address}/contract/{name}',
  operationId: 'getAccountContract',
  tag: 'Accounts',
  summary: 'Current source code of a contract',
  description:
    'Read from the chain. If no access node responds in time, indexed code is returned and `_rpcUnavailable` is ' +
    'true. Not wrapped in an envelope.',
  params: z.object({
    address: accountParameter(),
    name: z
      .string()
      .regex(/^[A-Za-z_]\w{0,199}$/, 'must be a contract name')
      .describe('Contract name.'),
  }),
  response: accountContractSchema,
  problems: {
    404: 'The account does not have this contract.',
    503: 'The code is not indexed and no access node responds.',
  },
  example: {
    address: '0x18eb4ee6b3c026d2',
    name: 'HelloWorld',
    byte_size: code.length,
    code,
    fetched_at: '2025-07-01T12:00:00.250Z',
    source: 'chain',
    as_of_height: null,
  },
  handler: async ({ params: { address, name } }, { database, chain, network }) => {
    const unknown = new ApiError(404, 'unknown-contract', `Account ${address} has no contract ${name}.`, {
      field: 'name',
    })
    if (!isValidAddress(address, network())) throw unknown
    const result = await resultOrUnavailable(chain.account(address))
    if (!(result instanceof ChainUnavailableError)) {
      const live = result.value?.contracts.get(name)
      if (live === undefined) throw unknown
      return { body: presentLiveCode(address, name, live) }
    }
    const [row] = await readContracts(database, [`A.${address.slice(2)}.${name}`], false)
    if (row === undefined) throw chainUnavailableProblem(result)
    if (row.is_removed) throw unknown
    const indexed = await readContractCode(database, network(), Buffer.from(row.code_hash, 'hex'))
    if (indexed === undefined) throw chainUnavailableProblem(result)
    return { body: presentIndexedCode(address, name, indexed, row.updated_height) }
  },
})

export const accountContractRoutes = [accountContract]
