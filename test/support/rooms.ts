import { posix } from 'node:path'

/**
 * The rooms of the source tree and the arrows between them: the one place where they are written as data. The table in
 * `docs/architecture.md` is checked against it, and `test/rooms.test.ts` checks every import.
 */
export interface Room {
  /**
   * Folders from the root of the repository, or `folder/*.ts` for the files directly in one. The longest match
   * decides.
   */
  readonly paths: readonly string[]
  /** Folders outside the room that it may import from; `everything` only where the whole is put together. */
  readonly mayImport: readonly string[] | 'everything'
  /** Holds pure functions: nothing that reads or writes outside the process may be imported. */
  readonly pure?: true
}

export const rooms: readonly Room[] = [
  { paths: ['src/*.ts'], mayImport: 'everything' },
  { paths: ['src/platform'], mayImport: [] },
  { paths: ['src/flow'], mayImport: ['src/platform'], pure: true },
  { paths: ['src/flow/cadence'], mayImport: ['src/platform', 'src/flow'] },
  { paths: ['src/access'], mayImport: ['src/platform', 'src/flow'] },
  { paths: ['src/ingest'], mayImport: ['src/platform', 'src/flow', 'src/access'] },
  { paths: ['src/farm'], mayImport: ['src/platform', 'src/flow', 'jobs'] },
  { paths: ['jobs'], mayImport: ['src/platform', 'src/flow'], pure: true },
  {
    paths: ['src/explorer'],
    mayImport: ['src/platform', 'src/flow', 'src/access', 'src/webhooks', 'jobs/worker-names.ts'],
  },
  { paths: ['src/webhooks'], mayImport: ['src/platform'] },
  { paths: ['src/operator'], mayImport: ['src/platform', 'src/farm'] },
  { paths: ['src/assistant'], mayImport: ['src/platform', 'src/flow', 'src/flow/cadence', 'src/access'] },
  { paths: ['src/wallet'], mayImport: ['src/platform', 'src/flow', 'src/access', 'clients/signing'] },
  { paths: ['src/editor'], mayImport: ['src/platform', 'src/flow', 'src/flow/cadence', 'src/access'] },
  { paths: ['clients/signing'], mayImport: [] },
  { paths: ['dashboards'], mayImport: ['clients/signing'] },
  { paths: ['simnode'], mayImport: ['src/platform', 'src/flow', 'src/access', 'clients/signing'] },
  { paths: ['scripts'], mayImport: 'everything' },
  { paths: ['test'], mayImport: 'everything' },
]

/** What the tests beside a room's source may import on top of what the room may. */
export const testsMayAlsoImport: readonly string[] = ['test', 'simnode', 'src/config.ts']

/** Modules that reach outside the process: not for a pure room. */
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

/** The room that a file or folder is in; `undefined` if it is in none. */
export function roomOf(path: string): Room | undefined {
  let best: { room: Room; length: number } | undefined
  for (const room of rooms) {
    for (const own of room.paths) {
      if (isBelow(path, own) && own.length > (best?.length ?? 0)) best = { room, length: own.length }
    }
  }
  return best?.room
}

/** Whether `path` is `folder` or in it; for `folder/*.ts`, whether it is a file directly in the folder. */
export function isBelow(path: string, folder: string): boolean {
  if (folder.endsWith('/*.ts')) return path.endsWith('.ts') && posix.dirname(path) === posix.dirname(folder)
  return path === folder || path.startsWith(`${folder}/`)
}
