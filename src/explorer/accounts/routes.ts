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
import { chainSilentProblem, ifHeard, ChainSilentError } from '../present-chain.ts'
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
  accountRow,
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
import type { AccountDetail, IndexedAccount, LiveAccount, AccountRow } from './schema.ts'
import { readStorageOverview } from './storage.ts'

/** The orders in which accounts are listed: those that an index gives. */
const accountOrders = ['block_height', 'tx_count', 'flow_balance', 'first_seen'] as const
type AccountOrder = (typeof accountOrders)[number]

/** A place in such an order: the account, and what it is sorted by as decimal text. */
interface AccountPlace {
  readonly value: string
  readonly address: string
}

/** What an order is read from: the rows of a table by one of its columns. */
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
 * Up to `count` accounts after a place, the highest first, of one height or count by address. Very many share a low
 * count, so the rest of those that share the value of the place is read by itself, where the index holds it together.
 */
export async function listAccounts(
  database: DatabasePool,
  network: Network,
  order: AccountOrder,
  after: AccountPlace | undefined,
  count: number,
): Promise<readonly AccountRow[]> {
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
  return database.any(sql.type(accountRow)`
    with page as materialized (
      select address, value from (${after === undefined ? firstPage : pageAfter(after)}) as listed
      order by value desc, address limit ${count}
    )
    select p.address, p.value::text as sort_value, a.first_seen_height, a.last_seen_height, a.created_height,
      a.created_tx_index, coalesce(s.tx_count, 0) as tx_count, h.balance::text as flow_balance
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
  summary: 'Accounts, the last active first',
  description:
    'As they are indexed. By `tx_count` only those that took part in a transaction are listed, by ' +
    '`flow_balance` only those in whose vaults FLOW was seen.',
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: accountCursor.parameter,
    sort_by: z
      .enum(accountOrders, `must be one of ${accountOrders.join(', ')}`)
      .default('block_height')
      .describe(
        'By the last block with the account, by transactions, by FLOW or by the first block; the highest first.',
      ),
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
      throw new ApiError(400, 'invalid-parameter', `Parameter "cursor" is not one of the order ${order}.`, {
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
  summary: 'One account at present',
  description:
    'Balance, keys, contracts and storage are those of the newest sealed block, as an access node gives them. ' +
    'Where none answers in time they are as indexed, and `_rpcUnavailable` says so. The rest is indexed.',
  params: z.object({ address: accountParameter() }),
  response: singleOf(accountDetailSchema, 'Account'),
  problems: {
    404: 'The chain has no such account.',
    503: 'The account is not indexed, and the chain cannot be asked at the moment.',
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

/** What the chain says: the account, that there is none, or nothing. */
async function askAccount(
  address: string,
  { chain, network }: Services,
): Promise<LiveAccount | undefined | ChainSilentError> {
  // Nobody has an address that the network cannot give out, so no node is bothered with one.
  if (!isValidAddress(address, network())) return undefined
  const storageHeard = readStorageOverview(chain, address, 0).catch((error: unknown) => {
    if (error instanceof ChainSilentError || error instanceof ScriptFailedError) return undefined
    throw error
  })
  const [heard, storage] = await Promise.all([ifHeard(chain.account(address)), storageHeard])
  if (heard instanceof ChainSilentError) return heard
  return heard.value === undefined ? undefined : { account: heard.value, storage }
}

async function presentPresent(
  address: string,
  indexed: IndexedAccount | undefined,
  live: Awaited<ReturnType<typeof askAccount>>,
  services: Services,
): Promise<AccountDetail> {
  if (live !== undefined && !(live instanceof ChainSilentError)) {
    return presentLiveAccount(live, indexed, indexed?.labels ?? (await listLabels(services.database, address)))
  }
  const isSilent = live instanceof ChainSilentError
  if (indexed !== undefined) {
    return presentIndexedAccount(indexed, await readReach(services.database, 'accounts_worker'), isSilent)
  }
  if (isSilent) throw chainSilentProblem(live)
  throw new ApiError(404, 'unknown-account', `The chain has no account ${address}.`, { field: 'address' })
}

const labels = defineRoute({
  path: '/flow/account/{address}/labels',
  operationId: 'listAccountLabels',
  tag: 'Accounts',
  summary: 'What an account is known as',
  params: z.object({ address: accountParameter() }),
  response: listOf(labelSchema, 'AccountLabel'),
  example: wholeList(exampleAccountDetail.labels),
  handler: async ({ params: { address } }, { database }) => {
    return { body: wholeList([...(await listLabels(database, address))]) }
  },
})

/** Accounts. */
export const accountRoutes = [accountList, account, labels]

const publicKeyCursor = keyCursor({ revoked: /[01]/, address: /0x[0-9a-f]{16}/, key_index: keyParts.index })

const publicKey = defineRoute({
  path: '/flow/key/{publicKey}',
  operationId: 'listAccountsOfPublicKey',
  tag: 'Accounts',
  summary: 'Accounts that have a public key, those where it is in force first',
  description:
    'The index has the keys that indexed transactions added. Keys of older accounts have no indexed ' +
    'event, nor have those of the first accounts of the simulated chain: access nodes cannot look up an account by ' +
    'its key, so such a key is found only after this process was asked for its account.',
  params: z.object({ publicKey: publicKeyParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: publicKeyCursor.parameter }),
  response: listOf(publicKeySchema, 'PublicKey'),
  problems: { 404: 'No account is known to have or have had this key.' },
  example: { data: [examplePublicKey], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { publicKey: digits }, query: { limit, cursor } }, { database, chain }) => {
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
    const indexed = await listKeysByPublicKeys(database, keys, after, limit + 1)
    const isWhole = after === undefined && indexed.length <= limit
    const rows = isWhole ? await withKeysOfChain(chain, keys, indexed, limit) : indexed
    if (after === undefined && rows.length === 0) {
      throw new ApiError(
        404,
        'unknown-key',
        'No account is known to have or have had this key. A key from before the first indexed ' +
          'block is found once its account was asked for.',
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
  summary: 'The EVM accounts of a Flow account, or the Flow account of an EVM account',
  description: 'Of the EVM accounts that Cadence owns (COAs), in the order in which they were created.',
  params: z.object({ address: partyParameter() }),
  query: z.object({ limit: limitParameter({ default: 20, max: 100 }), cursor: eventCursor.parameter }),
  response: listOf(coaSchema, 'CoaMapping'),
  problems: { 404: 'No such EVM account is known.' },
  example: { data: [exampleCoa], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ params: { address }, query: { limit, cursor } }, { database }) => {
    const after = parseEventCursor(cursor)
    const rows = await listCoas(database, address, after, limit + 1)
    if (after === undefined && rows.length === 0) {
      const detail =
        address.length === 42
          ? `${address} is not known as an EVM account that Cadence owns.`
          : `No EVM account of ${address} is known.`
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

/** Accounts by what they have: a key, an EVM account. */
export const accountLookupRoutes = [publicKey, coa]

/** The code of a contract, in no envelope. */
const accountContractSchema = z
  .strictObject({
    address: addressFormat,
    name: z.string(),
    byte_size: countFormat.describe('Length of the code in UTF-8.'),
    code: z.string().describe('Cadence source.'),
    fetched_at: timestampFormat.describe('When this was answered.'),
    source: z.enum(['chain', 'index']),
    as_of_height: heightFormat.nullable().describe('Block that brought this code; null where the chain gave it.'),
    _rpcUnavailable: z
      .literal(true)
      .optional()
      .describe('The chain did not answer, so the code is as indexed. Else left out.'),
  })
  .meta({ id: 'AccountContract' })
export type AccountContract = z.output<typeof accountContractSchema>

/** Code as the chain has it. */
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

/** Code as it is indexed, where the chain did not answer. @param height the block that brought it */
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
  summary: 'Source code of a contract at present',
  description:
    'From the chain, and as indexed where no access node answers in time, which `_rpcUnavailable` says. In no ' +
    'envelope.',
  params: z.object({
    address: accountParameter(),
    name: z
      .string()
      .regex(/^[A-Za-z_]\w{0,199}$/, 'must be the name of a contract')
      .describe('Name of the contract.'),
  }),
  response: accountContractSchema,
  problems: {
    404: 'The account has no such contract.',
    503: 'The code is not indexed, and the chain cannot be asked at the moment.',
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
    const unknown = new ApiError(404, 'unknown-contract', `${address} has no contract ${name}.`, { field: 'name' })
    if (!isValidAddress(address, network())) throw unknown
    const heard = await ifHeard(chain.account(address))
    if (!(heard instanceof ChainSilentError)) {
      const live = heard.value?.contracts.get(name)
      if (live === undefined) throw unknown
      return { body: presentLiveCode(address, name, live) }
    }
    const [row] = await readContracts(database, [`A.${address.slice(2)}.${name}`], false)
    if (row === undefined) throw chainSilentProblem(heard)
    if (row.is_removed) throw unknown
    const indexed = await readContractCode(database, network(), Buffer.from(row.code_hash, 'hex'))
    if (indexed === undefined) throw chainSilentProblem(heard)
    return { body: presentIndexedCode(address, name, indexed, row.updated_height) }
  },
})

/** Code of contracts by their account. */
export const accountContractRoutes = [accountContract]
