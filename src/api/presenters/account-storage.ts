import { z } from 'zod'
import type { StorageOverview } from '../chain/account-storage.ts'

/**
 * Answers about storage have the form in which the chain's own scripts answer, JSON-CDC: clients of the Flow explorer API
 * decode them as they decode scripts. Source: onflow/cadence-lang.org, docs/json-cadence-spec.md.
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

export const storageSchema = dictionaryOf(z.union([uint64, paths, bool]))
  .describe(
    'JSON-CDC, a dictionary: `used` and `capacity` in bytes, `height` the block whose state it is, `storagePaths` and ' +
      '`publicPaths` with what the account keeps, and `truncated`, whether there are more paths than these.',
  )
  .meta({ id: 'AccountStorage' })

export const storageLinksSchema = paths.describe('JSON-CDC, an array of paths.').meta({ id: 'StorageLinks' })

export const storageItemSchema = dictionaryOf(z.union([path, text]))
  .describe('JSON-CDC, a dictionary: `path`, `type` with the Cadence type of what is kept there, and `note`.')
  .meta({ id: 'StorageItem' })

export function presentStorageOverview({ used, capacity, height, storagePaths, publicPaths, isCut }: StorageOverview) {
  return presentDictionary<z.output<typeof uint64> | z.output<typeof paths> | z.output<typeof bool>>({
    used: { type: 'UInt64', value: used },
    capacity: { type: 'UInt64', value: capacity },
    height: { type: 'UInt64', value: String(height) },
    storagePaths: presentPaths(storagePaths),
    publicPaths: presentPaths(publicPaths),
    truncated: { type: 'Bool', value: isCut },
  })
}

/** In the order of the paths: that of the chain is none. @param texts as `/public/flowTokenReceiver` */
export function presentPaths(texts: readonly string[]): z.output<typeof paths> {
  return { type: 'Array', value: texts.toSorted().map(presentPath) }
}

/** @param type Cadence type of what is at the path of the domain storage */
export function presentStorageItem(identifier: string, type: string) {
  return presentDictionary<Path | z.output<typeof text>>({
    path: presentPath(`/storage/${identifier}`),
    type: { type: 'String', value: type },
    note: {
      type: 'String',
      value: 'Only the type is told: what is stored may be a resource, which cannot leave the chain.',
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
