import { z } from 'zod'
import { cadence } from '../../chain/json-cdc/cadence-argument.ts'
import type { PayloadValue } from '../../chain/payload-value.ts'
import { ChainSilentError } from './present-chain.ts'
import type { PresentChain } from './present-chain.ts'

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

/** How much of its storage an account uses, in bytes as decimal text, and the paths of what it keeps. */
export type StorageOverview = z.output<typeof overview>

/**
 * @param mostPaths of each domain
 * @throws ChainSilentError, ScriptFailedError as `PresentChain.run`
 */
export async function readStorageOverview(
  chain: PresentChain,
  address: string,
  mostPaths: number,
): Promise<StorageOverview> {
  return readAnswer(overview, await chain.run('account_storage', [cadence.address(address), cadence.int(mostPaths)]))
}

/** Paths such as `/public/flowTokenReceiver`. @throws as `readStorageOverview` */
export async function readPublicPaths(chain: PresentChain, address: string, mostPaths: number): Promise<string[]> {
  return readAnswer(
    z.array(z.string()),
    await chain.run('public_paths', [cadence.address(address), cadence.int(mostPaths)]),
  )
}

/**
 * The Cadence type of what an account keeps at a path of the domain storage; null for nothing.
 * @throws as `readStorageOverview`
 */
export async function readStoredType(chain: PresentChain, address: string, identifier: string): Promise<string | null> {
  return readAnswer(
    z.string().nullable(),
    await chain.run('storage_item', [cadence.address(address), cadence.string(identifier)]),
  )
}

/** A script of ours cannot answer in another form: a node that does so is not to be believed. */
function readAnswer<Schema extends z.ZodType>(schema: Schema, answer: PayloadValue): z.output<Schema> {
  const result = schema.safeParse(answer)
  if (result.success) return result.data
  throw new ChainSilentError('an access node gave an answer that cannot be read', result.error)
}
