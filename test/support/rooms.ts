/**
 * The rooms of the source tree and the arrows between them: the one place where they are written as data. The table in
 * `docs/architecture.md` is checked against it, and `test/rooms.test.ts` checks every import.
 */
export interface Room {
  /** A folder, or single files, from the root of the repository. The longest match decides. */
  readonly paths: readonly string[]
  /** Folders outside the room that it may import from; `everything` only where the whole is put together. */
  readonly mayImport: readonly string[] | 'everything'
  /** Holds pure functions: nothing that reads or writes outside the process may be imported. */
  readonly pure?: true
}

const systemRoom = (path: string): Room => ({ paths: [path], mayImport: ['src/base', 'src/chain', 'src/db', 'src/access'] })

export const rooms: readonly Room[] = [
  { paths: ['src/main.ts', 'src/services.ts'], mayImport: 'everything' },
  { paths: ['src/base'], mayImport: [] },
  { paths: ['src/chain'], mayImport: ['src/base'], pure: true },
  { paths: ['src/access'], mayImport: ['src/base', 'src/chain'] },
  { paths: ['src/db'], mayImport: ['src/base'] },
  { paths: ['src/ingest'], mayImport: ['src/base', 'src/chain', 'src/access', 'src/db'] },
  { paths: ['src/farm'], mayImport: ['src/base', 'src/chain', 'src/db', 'jobs'] },
  { paths: ['jobs'], mayImport: ['src/base', 'src/chain'], pure: true },
  { paths: ['src/api'], mayImport: ['src/base', 'src/chain', 'src/db', 'src/access'] },
  { paths: ['src/live'], mayImport: ['src/base', 'src/db', 'src/api/presenters'] },
  { paths: ['src/operator'], mayImport: ['src/base', 'src/db', 'src/farm'] },
  { paths: ['src/simnode'], mayImport: ['src/base', 'src/chain', 'src/access'] },
  systemRoom('src/ask'),
  systemRoom('src/mcp'),
  systemRoom('src/chat'),
  systemRoom('src/wallet'),
  systemRoom('src/projects'),
  systemRoom('src/editor'),
  { paths: ['dashboards'], mayImport: [] },
  { paths: ['scripts'], mayImport: 'everything' },
  { paths: ['test'], mayImport: 'everything' },
]

/** What the tests beside a room's source may import on top of what the room may. */
export const testsMayAlsoImport: readonly string[] = ['test', 'src/simnode']

/** Modules that reach outside the process: not for a pure room. */
export const modulesWithEffects: ReadonlySet<string> = new Set([
  ...['child_process', 'cluster', 'dgram', 'dns', 'fs', 'fs/promises', 'http', 'http2', 'https', 'net', 'tls'].map(
    (name) => `node:${name}`,
  ),
  ...['node:worker_threads', 'node:timers', 'node:timers/promises'],
  ...['@grpc/grpc-js', '@onflow/transport-grpc', '@slonik/pg-driver', 'bullmq', 'ioredis', 'koa', 'pg', 'pg-boss'],
  ...['pg-copy-streams', 'pino', 'prom-client', 'slonik', 'ws'],
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

/** Whether `path` is `folder` or in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}
