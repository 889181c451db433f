import { z } from 'zod'
import { isValidAddress } from '../../flow/address.ts'
import { cadence } from '../../flow/json-cdc/cadence-argument.ts'
import { ApiError } from '../../platform/errors.ts'
import { accountParameter } from '../parameters.ts'
import { chainProblems, fromChain, readAnswer } from '../present-chain.ts'
import type { PresentChain } from '../present-chain.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

const bytes = z.string().regex(/^\d+$/)
const amount = z.string().regex(/^\d+\.\d{8}$/)

const overview = z.object({
  used: bytes,
  capacity: bytes,
  balance: amount,
  availableBalance: amount,
  height: bytes.transform(Number),
  storagePaths: z.array(z.string()),
  publicPaths: z.array(z.string()),
  isCut: z.boolean(),
})

/** Bytes as decimal strings. */
export type StorageOverview = z.output<typeof overview>

/**
 * @param maxPaths per domain
 *
 * @throws ChainUnavailableError, ScriptFailedError
 */
export async function readStorageOverview(
  chain: PresentChain,
  address: string,
  maxPaths: number,
): Promise<StorageOverview> {
  return readAnswer(overview, await chain.run('account_storage', [cadence.address(address), cadence.int(maxPaths)]))
}

async function readPublicPaths(chain: PresentChain, address: string, maxPaths: number): Promise<string[]> {
  return readAnswer(
    z.array(z.string()),
    await chain.run('public_paths', [cadence.address(address), cadence.int(maxPaths)]),
  )
}

/** Null if the path is empty. */
async function readStoredType(chain: PresentChain, address: string, identifier: string): Promise<string | null> {
  return readAnswer(
    z.string().nullable(),
    await chain.run('storage_item', [cadence.address(address), cadence.string(identifier)]),
  )
}

/**
 * JSON-CDC, which Flow explorer clients decode. Source: onflow/cadence-lang.org,
 * docs/json-cadence-spec.md.
 */
const text = z.strictObject({ type: z.literal('String'), value: z.string() })
const uint64 = z.strictObject({ type: z.literal('UInt64'), value: z.string() })
const bool = z.strictObject({ type: z.literal('Bool'), value: z.boolean() })
const path = z.strictObject({
  type: z.literal('Path'),
  value: z.strictObject({ domain: z.enum(['storage', 'public']), identifier: z.string() }),
})
const paths = z.strictObject({ type: z.literal('Array'), value: z.array(path) })
type Path = z.output<typeof path>

function dictionaryOf<Value extends z.ZodType>(value: Value) {
  return z.strictObject({ type: z.literal('Dictionary'), value: z.array(z.strictObject({ key: text, value })) })
}

const storageSchema = dictionaryOf(z.union([uint64, paths, bool]))
  .describe(
    'JSON-CDC dictionary: `used` and `capacity` in bytes, `height` of the state, `storagePaths`, `publicPaths`, and ' +
      '`truncated`, whether there are more paths.',
  )
  .meta({ id: 'AccountStorage' })

const storageLinksSchema = paths.describe('JSON-CDC array of paths.').meta({ id: 'StorageLinks' })

const storageItemSchema = dictionaryOf(z.union([path, text]))
  .describe('JSON-CDC dictionary: `path`, `type` (Cadence type of the stored value) and `note`.')
  .meta({ id: 'StorageItem' })

function presentStorageOverview({ used, capacity, height, storagePaths, publicPaths, isCut }: StorageOverview) {
  return presentDictionary<z.output<typeof uint64> | z.output<typeof paths> | z.output<typeof bool>>({
    used: { type: 'UInt64', value: used },
    capacity: { type: 'UInt64', value: capacity },
    height: { type: 'UInt64', value: String(height) },
    storagePaths: presentPaths(storagePaths),
    publicPaths: presentPaths(publicPaths),
    truncated: { type: 'Bool', value: isCut },
  })
}

/** Sorted: the chain returns paths in no order. */
function presentPaths(texts: readonly string[]): z.output<typeof paths> {
  return { type: 'Array', value: texts.toSorted().map(presentPath) }
}

function presentStorageItem(identifier: string, type: string) {
  return presentDictionary<Path | z.output<typeof text>>({
    path: presentPath(`/storage/${identifier}`),
    type: { type: 'String', value: type },
    note: {
      type: 'String',
      value: 'Only the type is available: stored values may be resources, which cannot leave the chain.',
    },
  })
}

function presentPath(given: string): Path {
  const [, domain, identifier = ''] = given.split('/')
  return { type: 'Path', value: { domain: domain === 'public' ? 'public' : 'storage', identifier } }
}

function presentDictionary<Value>(entries: Readonly<Record<string, Value>>) {
  return {
    type: 'Dictionary' as const,
    value: Object.entries(entries).map(([key, value]) => ({ key: { type: 'String' as const, value: key }, value })),
  }
}

const maxPaths = 2000

const problems = { ...chainProblems, 404: 'The account does not exist.' }

const storage = defineRoute({
  path: '/flow/account/{address}/storage',
  operationId: 'getAccountStorage',
  tag: 'Accounts',
  summary: 'Storage of an account',
  description: `Read from the chain. Not wrapped in an envelope. Up to ${maxPaths} paths per domain.`,
  params: z.object({ address: accountParameter() }),
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
    const overview = await ofAccount(address, services, () => readStorageOverview(services.chain, address, maxPaths))
    return { body: presentStorageOverview(overview) }
  },
})

const links = defineRoute({
  path: '/flow/account/{address}/storage/links',
  operationId: 'getAccountStorageLinks',
  tag: 'Accounts',
  summary: 'Public paths of an account',
  description: `Read from the chain. Not wrapped in an envelope. Up to ${maxPaths} paths.`,
  params: z.object({ address: accountParameter() }),
  query: z.object({
    domain: z
      .literal('public', 'must be public: other domains have no links')
      .default('public')
      .describe('Path domain.'),
  }),
  response: storageLinksSchema,
  problems,
  example: presentPaths(['/public/flowTokenReceiver', '/public/flowTokenBalance']),
  handler: async ({ params: { address } }, services) => {
    const paths = await ofAccount(address, services, () => readPublicPaths(services.chain, address, maxPaths))
    return { body: presentPaths(paths) }
  },
})

const item = defineRoute({
  path: '/flow/account/{address}/storage/item',
  operationId: 'getAccountStorageItem',
  tag: 'Accounts',
  summary: 'Type of the value at a storage path',
  description: 'Read from the chain. Not wrapped in an envelope.',
  params: z.object({ address: accountParameter() }),
  query: z.object({
    path: z
      .string()
      .regex(/^(\/?storage\/)?[A-Za-z_]\w{0,199}$/, 'must be a storage path, such as /storage/flowTokenVault')
      .describe('Storage path or its identifier.'),
  }),
  response: storageItemSchema,
  problems: { ...chainProblems, 404: 'The path is empty or the account does not exist.' },
  example: presentStorageItem('flowTokenVault', 'A.1654653399040a61.FlowToken.Vault'),
  handler: async ({ params: { address }, query: { path } }, services) => {
    const identifier = path.slice(path.lastIndexOf('/') + 1)
    const type = await ofAccount(address, services, () => readStoredType(services.chain, address, identifier))
    if (type === null) {
      throw new ApiError(404, 'unknown-path', `Account ${address} has nothing at /storage/${identifier}.`, {
        field: 'path',
      })
    }
    return { body: presentStorageItem(identifier, type) }
  },
})

/**
 * Scripts fail or see an empty account if it does not exist.
 *
 * @throws ApiError 404, 502, 503
 */
async function ofAccount<T>(address: string, { chain, network }: Services, ask: () => Promise<T>): Promise<T> {
  const unknown = new ApiError(404, 'unknown-account', `Account ${address} does not exist.`, { field: 'address' })
  if (!isValidAddress(address, network())) throw unknown
  const answer = ask()
  // 404 takes precedence over a script error.
  const ended = Promise.allSettled([answer])
  if ((await fromChain(chain.account(address))) === undefined) {
    await ended
    throw unknown
  }
  return fromChain(answer)
}

export const accountStorageRoutes = [storage, links, item]
