import { posix } from 'node:path'

/**
 * The modules of the source tree and their allowed dependencies. `docs/architecture.md` is checked
 * against this table, and `test/modules.test.ts` checks every import.
 */
export interface ModuleRules {
  /**
   * Folders from the root of the repository, or `folder/*.ts` for the files directly in one. The
   * longest match applies.
   */
  readonly paths: readonly string[]
  /** Folders outside the module that it may import. `everything` only for the composition root. */
  readonly mayImport: readonly string[] | 'everything'
  /** Contains pure functions: it must not import modules with input or output. */
  readonly pure?: true
}

export const modules: readonly ModuleRules[] = [
  { paths: ['src/*.ts'], mayImport: 'everything' },
  { paths: ['src/platform'], mayImport: [] },
  { paths: ['src/flow'], mayImport: ['src/platform'], pure: true },
  { paths: ['src/flow/cadence'], mayImport: ['src/platform', 'src/flow'] },
  { paths: ['src/measures'], mayImport: [] },
  { paths: ['src/access'], mayImport: ['src/platform', 'src/flow'] },
  { paths: ['src/ingest'], mayImport: ['src/platform', 'src/flow', 'src/access'] },
  {
    paths: ['src/own-tables'],
    mayImport: ['src/platform', 'src/flow', 'src/farm', 'src/assistant/query/sql', 'jobs'],
  },
  { paths: ['src/farm'], mayImport: ['src/platform', 'src/flow', 'jobs'] },
  { paths: ['jobs'], mayImport: ['src/platform', 'src/flow'], pure: true },
  {
    paths: ['src/explorer'],
    mayImport: [
      'src/platform',
      'src/flow',
      'src/access',
      'src/measures',
      'src/webhooks',
      'src/own-tables',
      'jobs/worker-names.ts',
    ],
  },
  { paths: ['src/webhooks'], mayImport: ['src/platform'] },
  { paths: ['src/operator'], mayImport: ['src/platform', 'src/farm'] },
  {
    paths: ['src/assistant'],
    mayImport: ['src/platform', 'src/flow', 'src/flow/cadence', 'src/access', 'src/measures'],
  },
  { paths: ['src/wallet'], mayImport: ['src/platform', 'src/flow', 'src/access', 'clients/signing'] },
  { paths: ['src/editor'], mayImport: ['src/platform', 'src/flow', 'src/flow/cadence', 'src/access'] },
  { paths: ['clients/signing'], mayImport: [] },
  { paths: ['clients/javascript'], mayImport: [] },
  { paths: ['dashboards'], mayImport: ['clients/signing', 'clients/javascript'] },
  { paths: ['simnode'], mayImport: ['src/platform', 'src/flow', 'src/access', 'clients/signing'] },
  { paths: ['examples'], mayImport: [] },
  { paths: ['scripts'], mayImport: 'everything' },
  { paths: ['test'], mayImport: 'everything' },
]

/** Additional allowed imports of tests beside a module's source. */
export const testsMayAlsoImport: readonly string[] = ['test', 'simnode', 'src/config.ts']

/** Modules with input or output, which pure modules must not import. */
export const modulesWithEffects: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:cluster',
  'node:dgram',
  'node:dns',
  'node:fs',
  'node:fs/promises',
  'node:http',
  'node:http2',
  'node:https',
  'node:net',
  'node:timers',
  'node:timers/promises',
  'node:tls',
  'node:worker_threads',
  '@grpc/grpc-js',
  '@onflow/transport-grpc',
  '@slonik/pg-driver',
  'bullmq',
  'ioredis',
  'koa',
  'pg',
  'pg-boss',
  'pg-copy-streams',
  'pino',
  'prom-client',
  'slonik',
  'ws',
])

/** The module of a file or folder. `undefined` if it is in none. */
export function moduleOf(path: string): ModuleRules | undefined {
  let best: { module: ModuleRules; length: number } | undefined
  for (const module of modules) {
    for (const own of module.paths) {
      if (isBelow(path, own) && own.length > (best?.length ?? 0)) best = { module, length: own.length }
    }
  }
  return best?.module
}

/**
 * Whether `path` is `folder` or in it. For `folder/*.ts`, whether it is a file directly in the
 * folder.
 */
export function isBelow(path: string, folder: string): boolean {
  if (folder.endsWith('/*.ts')) return path.endsWith('.ts') && posix.dirname(path) === posix.dirname(folder)
  return path === folder || path.startsWith(`${folder}/`)
}
