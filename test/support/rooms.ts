import { posix } from 'node:path'

/**
 * The rooms of the source tree and the arrows between them: the one place where they are written as data. The table in
 * `docs/architecture.md` is checked against it, and `test/rooms.test.ts` checks every import.
 */
export interface Room {
  /** Folders from the root of the repository, or `folder/*.ts` for the files directly in one. The longest match decides. */
  readonly paths: readonly string[]
  /** Folders outside the room that it may import from; `everything` only where the whole is put together. */
  readonly mayImport: readonly string[] | 'everything'
  /** Holds pure functions: nothing that reads or writes outside the process may be imported. */
  readonly pure?: true
}

export const rooms: readonly Room[] = [
  { paths: ['src/*.ts', 'src/services'], mayImport: 'everything' },
  { paths: ['src/base'], mayImport: [] },
  { paths: ['src/chain'], mayImport: ['src/base'], pure: true },
  { paths: ['src/access'], mayImport: ['src/base', 'src/chain'] },
  { paths: ['src/db'], mayImport: ['src/base'] },
  { paths: ['src/ingest'], mayImport: ['src/base', 'src/chain', 'src/access', 'src/db'] },
  { paths: ['src/farm'], mayImport: ['src/base', 'src/chain', 'src/db', 'jobs'] },
  { paths: ['jobs'], mayImport: ['src/base', 'src/chain'], pure: true },
  { paths: ['src/auth'], mayImport: ['src/base', 'src/db'] },
  { paths: ['src/api'], mayImport: ['src/base', 'src/chain', 'src/db', 'src/access', 'src/auth', 'src/webhooks'] },
  { paths: ['src/webhooks'], mayImport: ['src/base', 'src/chain', 'src/db', 'src/auth', 'src/outbound'] },
  { paths: ['src/live'], mayImport: ['src/base', 'src/db', 'src/api/presenters'] },
  { paths: ['src/operator'], mayImport: ['src/base', 'src/db', 'src/farm', 'src/auth'] },
  { paths: ['src/simnode'], mayImport: ['src/base', 'src/chain', 'src/access', 'clients/signing'] },
  { paths: ['src/outbound'], mayImport: ['src/base'] },
  { paths: ['src/llm'], mayImport: ['src/base'] },
  { paths: ['src/skills'], mayImport: ['src/base'] },
  { paths: ['src/ask'], mayImport: ['src/base', 'src/chain', 'src/db', 'src/access', 'src/auth', 'src/llm'] },
  {
    paths: ['src/mcp'],
    mayImport: ['src/base', 'src/chain', 'src/db', 'src/access', 'src/ask/*.ts', 'src/ask/wire', 'src/skills'],
  },
  { paths: ['src/tool-servers'], mayImport: ['src/base', 'src/chain'] },
  { paths: ['src/chat'], mayImport: ['src/base', 'src/llm', 'src/skills', 'src/outbound', 'src/auth'] },
  { paths: ['src/proxy'], mayImport: ['src/base'] },
  {
    paths: ['src/wallet'],
    mayImport: ['src/base', 'src/chain', 'src/db', 'src/access', 'src/auth', 'clients/signing'],
  },
  { paths: ['clients/signing'], mayImport: [] },
  { paths: ['src/projects'], mayImport: ['src/base', 'src/db', 'src/auth'] },
  {
    paths: ['src/editor'],
    mayImport: [
      'src/base',
      'src/chain',
      'src/db',
      'src/access',
      'src/auth',
      'src/projects/project-access.ts',
      'src/outbound',
      'src/tool-servers/script',
    ],
  },
  { paths: ['dashboards'], mayImport: ['clients/signing'] },
  { paths: ['scripts'], mayImport: 'everything' },
  { paths: ['test'], mayImport: 'everything' },
]

/** What the tests beside a room's source may import on top of what the room may. */
export const testsMayAlsoImport: readonly string[] = ['test', 'src/simnode']

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
