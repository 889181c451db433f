import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { isValidAddress } from '../../chain/address.ts'
import { ScriptFailedError } from '../../chain/chain-reader.ts'
import { exampleAccount, exampleAccountDetail } from '../examples/accounts.ts'
import { chainSilentProblem, ifHeard } from '../chain/chain-problem.ts'
import { ChainSilentError } from '../chain/present-chain.ts'
import { readStorageOverview } from '../chain/account-storage.ts'
import { listOf, page, singleOf, wholeList } from '../paging/envelope.ts'
import { keyCursor, keyParts } from '../paging/key-cursor.ts'
import { accountParameter, limitParameter, noParameters } from '../parameters/parameters.ts'
import {
  accountDetailSchema,
  accountSchema,
  labelSchema,
  presentAccount,
  presentIndexedAccount,
  presentLiveAccount,
} from '../presenters/account.ts'
import type { AccountDetail, IndexedAccount, LiveAccount } from '../presenters/account.ts'
import { accountOrders, listAccounts } from '../queries/account-list.ts'
import { listLabels, readIndexedAccount, readReach } from '../queries/accounts.ts'
import { readBlockTimes } from '../queries/block-times.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

const accountCursor = keyCursor({ value: keyParts.amount, address: /0x[0-9a-f]{16}/ })

const accountList = defineRoute({
  path: '/flow/account',
  operationId: 'listAccounts',
  tag: 'Accounts',
  summary: 'Accounts, the last active first',
  description:
    'As they are indexed. By `tx_count` only those that took part in a transaction are listed, by ' +
    '`flow_balance` only those in whose vaults FLOW was seen.',
  params: noParameters,
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
  query: noParameters,
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
  query: noParameters,
  response: listOf(labelSchema, 'AccountLabel'),
  example: wholeList(exampleAccountDetail.labels),
  handler: async ({ params: { address } }, { database }) => {
    return { body: wholeList([...(await listLabels(database, address))]) }
  },
})

/** Accounts. */
export const accountRoutes = [accountList, account, labels]
