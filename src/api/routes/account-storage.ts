import { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import { isValidAddress } from '../../chain/address.ts'
import { chainProblems, fromChain } from '../chain/chain-problem.ts'
import { readPublicPaths, readStorageOverview, readStoredType } from '../chain/account-storage.ts'
import { accountParameter, noParameters } from '../parameters/parameters.ts'
import {
  presentPaths,
  presentStorageItem,
  presentStorageOverview,
  storageItemSchema,
  storageLinksSchema,
  storageSchema,
} from '../presenters/account-storage.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

/** Paths of each domain that are told: a script must not compute for longer than a node lets it. */
const mostPaths = 2000

const problems = { ...chainProblems, 404: 'The chain has no such account.' }

const storage = defineRoute({
  path: '/flow/account/{address}/storage',
  operationId: 'getAccountStorage',
  tag: 'Accounts',
  summary: 'What an account keeps in its storage at present',
  description: `Asked from the chain, and in no envelope. Of each domain ${mostPaths} paths at most are told.`,
  params: z.object({ address: accountParameter() }),
  query: noParameters,
  response: storageSchema,
  problems,
  example: presentStorageOverview({
    used: '14400',
    capacity: '3550000000',
    balance: '35.50000000',
    availableBalance: '35.49856000',
    height: 118542743,
    storagePaths: ['/storage/flowTokenVault'],
    publicPaths: ['/public/flowTokenReceiver', '/public/flowTokenBalance'],
    isCut: false,
  }),
  handler: async ({ params: { address } }, services) => {
    const overview = await ofAccount(address, services, () => readStorageOverview(services.chain, address, mostPaths))
    return { body: presentStorageOverview(overview) }
  },
})

const links = defineRoute({
  path: '/flow/account/{address}/storage/links',
  operationId: 'getAccountStorageLinks',
  tag: 'Accounts',
  summary: 'The public paths of an account at present',
  description: `Asked from the chain, and in no envelope; ${mostPaths} at most.`,
  params: z.object({ address: accountParameter() }),
  query: z.object({
    domain: z
      .literal('public', 'must be public: there are no links of other domains')
      .default('public')
      .describe('Domain of the paths.'),
  }),
  response: storageLinksSchema,
  problems,
  example: presentPaths(['/public/flowTokenReceiver', '/public/flowTokenBalance']),
  handler: async ({ params: { address } }, services) => {
    const paths = await ofAccount(address, services, () => readPublicPaths(services.chain, address, mostPaths))
    return { body: presentPaths(paths) }
  },
})

const item = defineRoute({
  path: '/flow/account/{address}/storage/item',
  operationId: 'getAccountStorageItem',
  tag: 'Accounts',
  summary: "What is at one path of an account's storage at present",
  description: 'Asked from the chain, and in no envelope.',
  params: z.object({ address: accountParameter() }),
  query: z.object({
    path: z
      .string()
      .regex(/^(\/?storage\/)?[A-Za-z_]\w{0,199}$/, 'must be a storage path, such as /storage/flowTokenVault')
      .describe('Storage path, or its identifier alone.'),
  }),
  response: storageItemSchema,
  problems: { ...chainProblems, 404: 'There is nothing at this path, or no such account.' },
  example: presentStorageItem('flowTokenVault', 'A.1654653399040a61.FlowToken.Vault'),
  handler: async ({ params: { address }, query: { path } }, services) => {
    const identifier = path.slice(path.lastIndexOf('/') + 1)
    const type = await ofAccount(address, services, () => readStoredType(services.chain, address, identifier))
    if (type === null) {
      throw new ApiError(404, 'unknown-path', `${address} keeps nothing at /storage/${identifier}.`, { field: 'path' })
    }
    return { body: presentStorageItem(identifier, type) }
  },
})

/**
 * An answer about an account that there is. Where there is none, scripts fail or see an empty one: so it is asked for as
 * well, at the same time.
 * @throws ApiError 404, 502, 503
 */
async function ofAccount<T>(address: string, { chain, network }: Services, ask: () => Promise<T>): Promise<T> {
  const unknown = new ApiError(404, 'unknown-account', `The chain has no account ${address}.`, { field: 'address' })
  if (!isValidAddress(address, network())) throw unknown
  const answer = ask()
  // Of an account that there is not, an error of the script is not the news.
  const ended = Promise.allSettled([answer])
  if ((await fromChain(chain.account(address))) === undefined) {
    await ended
    throw unknown
  }
  return fromChain(answer)
}

/** What accounts keep on the chain. */
export const accountStorageRoutes = [storage, links, item]
