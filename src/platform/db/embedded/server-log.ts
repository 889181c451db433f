import { copyFile, open, rename, stat, truncate, type FileHandle } from 'node:fs/promises'

/** The server's log and one older part are kept, each of about this size. */
const maxBytes = 8 * 1024 * 1024
const checkEveryMs = 60_000

export interface ServerLog {
  /** Open for appending: the server writes here itself, so it never waits for us and goes on when we are gone. */
  readonly file: FileHandle
  /** The last lines, for an error message. */
  tail(): Promise<string>
  close(): Promise<void>
}

/** Opens the log file, and keeps its size within bounds while it is open. */
export async function openServerLog(path: string, log: (line: string) => void): Promise<ServerLog> {
  if ((await sizeOf(path)) > maxBytes) await rename(path, `${path}.1`)
  const file = await open(path, 'a', 0o600)
  const startedAt = await sizeOf(path)
  // Cut rather than renamed: the server goes on with the descriptor it has. A full disk must not end the program.
  const timer = setInterval(() => {
    limitSize(path).catch((error: unknown) => log(`cannot shorten ${path}: ${String(error)}`))
  }, checkEveryMs)
  timer.unref()
  return {
    file,
    async tail() {
      const size = await sizeOf(path)
      const from = Math.max(size < startedAt ? 0 : startedAt, size - 2000)
      const buffer = Buffer.alloc(size - from)
      const reader = await open(path, 'r')
      try {
        await reader.read(buffer, 0, buffer.length, from)
      } finally {
        await reader.close()
      }
      return buffer.toString('utf8').trim()
    },
    async close() {
      clearInterval(timer)
      await file.close()
    },
  }
}

async function limitSize(path: string): Promise<void> {
  if ((await sizeOf(path)) <= maxBytes) return
  await copyFile(path, `${path}.1`)
  await truncate(path)
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0
    throw error
  }
}
