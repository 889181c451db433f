import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderHolder } from '../../src/platform/db/embedded/folder-lock.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/platform/db/embedded/start-embedded-postgres.ts'

/** A server for the tests of one process. */
export interface TestServer {
  readonly url: string
  stop(): Promise<void>
}

const prefix = 'flowfarm-test-'

/**
 * The server that TEST_DB_URL names, or an embedded one in a separate temporary folder, so that any
 * number of test processes may run at once. Only the folder outlives the process, and the next test
 * process deletes it.
 */
export async function startTestServer(): Promise<TestServer> {
  const given = process.env['TEST_DB_URL']
  if (given) return { url: given, stop: () => Promise.resolve() }
  await removeAbandonedFolders()
  const dataFolder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  // The server's user, if different, needs access to the socket.
  await chmod(dataFolder, 0o711)
  const lines: string[] = []
  let server: EmbeddedPostgres
  try {
    server = await startEmbeddedPostgres({
      dataFolder,
      wait: false,
      log: (line) => lines.push(line),
      // Tests do not need durability, which takes most of the time of a small test.
      // Tests simulate many processes at once, each with all of its pools.
      settings: {
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        shared_buffers: '64MB',
        max_connections: '500',
      },
    })
  } catch (error) {
    await rm(dataFolder, { recursive: true, force: true })
    throw error
  }
  return {
    url: server.url,
    async stop() {
      await server.stop()
      await rm(dataFolder, { recursive: true, force: true })
    },
  }
}

/** Deletes folders of killed test processes: unlocked, with the process in their name gone. */
async function removeAbandonedFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (Number.isNaN(pid) || isAlive(pid)) continue
    const folder = join(tmpdir(), name)
    try {
      // Its server may be shutting down, and holds the folder's lock until then.
      if ((await folderHolder(folder)) === undefined) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    } catch (error) {
      // Another test process was faster, or the folder belongs to another user.
      if (!['ENOENT', 'EACCES', 'EPERM', 'ENOTEMPTY'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
