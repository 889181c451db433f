import { stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { asError, FatalError } from '../../errors.ts'
import { pause } from '../../retry.ts'

/** What the holder of a data folder tells whoever asks. */
export interface FolderHolder {
  readonly pid: number
  /** When it took the folder, ISO 8601. */
  readonly since: string
  /** The server's connection URL, once the server answers queries. */
  readonly url?: string
}

export interface FolderLock {
  /** From now on, whoever asks is told this URL. */
  announce(url: string): void
  release(): Promise<void>
}

export interface FolderLockOptions {
  /** False: throw at once when another process holds the folder. Default true. */
  wait?: boolean | undefined
  signal?: AbortSignal | undefined
  log: (line: string) => void
}

/** How long a holder may take to say who it is; a stopped (SIGSTOP) process holds the folder but says nothing. */
const answerTimeoutMs = 2000

/**
 * Takes a folder for this process. The lock is a listening socket in Linux' abstract namespace, named after the
 * folder's device and inode: the kernel gives a name to one process only and takes it back when that process ends,
 * however it ends, so there is no stale lock and no pid to mistake. Whoever finds it taken connects, is told who holds
 * it, and learns from the end of that connection when to try again. Processes in another network namespace (a container
 * that shares the folder) do not see it.
 */
export async function lockFolder(folder: string, options: FolderLockOptions): Promise<FolderLock> {
  const name = await lockName(folder)
  let told = ''
  for (;;) {
    options.signal?.throwIfAborted()
    const lock = await tryLock(name)
    if (lock !== undefined) return lock
    const onHolder = (holder: FolderHolder | undefined): 'stay' => {
      const who = describe(holder)
      if (options.wait === false) throw inUse(folder, who)
      if (who !== told) options.log(`waiting for the data folder ${folder}, which is held by ${who}`)
      told = who
      return 'stay'
    }
    await followHolder(name, { onHolder, signal: options.signal, patienceMs: answerTimeoutMs })
    // The name is free only a moment after the connection ended; and several waiters should not come at once.
    await pause(20 + Math.random() * 80, options.signal)
  }
}

/**
 * The process that holds `folder` now; undefined when none does; `silent` for one that holds it and does not
 * answer, because it is stopped (SIGSTOP) or its event loop is busy. The kernel accepts the connection as long as
 * the process exists.
 */
export async function folderHolder(
  folder: string,
  patienceMs = answerTimeoutMs,
): Promise<FolderHolder | 'silent' | undefined> {
  let found: FolderHolder | 'silent' | undefined
  const onHolder = (holder: FolderHolder | undefined): 'leave' => {
    found = holder ?? 'silent'
    return 'leave'
  }
  await followHolder(await lockName(folder), { onHolder, patienceMs })
  return found
}

async function lockName(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true })
  return `\0flowfarm-data-folder-${dev}-${ino}`
}

/** Listens on the name; undefined when another process does. The lock does not keep this process alive. */
function tryLock(name: string): Promise<FolderLock | undefined> {
  const holder: { pid: number; since: string; url?: string } = { pid: process.pid, since: new Date().toISOString() }
  const askers = new Set<Socket>()
  const server = createServer((asker) => {
    askers.add(asker)
    asker.unref()
    asker.once('close', () => askers.delete(asker))
    // An asker that broke off is not our trouble.
    asker.on('error', () => asker.destroy())
    asker.resume()
    asker.write(`${JSON.stringify(holder)}\n`)
  })
  const lock: FolderLock = {
    announce(url) {
      holder.url = url
    },
    release() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      for (const asker of askers) asker.destroy()
      return closed.promise
    },
  }
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined)
      else reject(error)
    })
    server.listen({ path: name }, () => {
      server.unref()
      resolve(lock)
    })
  })
}

interface FollowOptions {
  readonly onHolder: (holder: FolderHolder | undefined) => 'stay' | 'leave'
  readonly signal?: AbortSignal | undefined
  readonly patienceMs: number
}

/**
 * Connects to the holder, hands its answer (undefined: it gave none in time) to `onHolder`, and, if that says stay,
 * waits until the holder lets go. Returns at once when nobody holds the name.
 */
function followHolder(name: string, { onHolder, signal, patienceMs }: FollowOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = ''
    let answered = false
    const socket = connect({ path: name })
    const silence = setTimeout(() => tell(undefined), patienceMs)
    const onAbort = (): void => void socket.destroy()
    signal?.addEventListener('abort', onAbort, { once: true })

    const tell = (holder: FolderHolder | undefined): void => {
      try {
        if (onHolder(holder) === 'leave') socket.destroy()
      } catch (error) {
        reject(asError(error))
        socket.destroy()
      }
    }
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => {
      received += text
      if (answered || !received.includes('\n')) return
      answered = true
      clearTimeout(silence)
      tell(JSON.parse(received) as FolderHolder)
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Its backlog is full: a process holds the name and accepts nothing. Refused or reset: the holder is gone.
      if (code === 'EAGAIN') tell(undefined)
      socket.destroy()
    })
    socket.on('end', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(silence)
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
  })
}

function inUse(folder: string, who: string): FatalError {
  return new FatalError(
    'data-folder-in-use',
    `The data folder ${folder} is in use by ${who}: stop it or choose another folder.`,
  )
}

function describe(holder: FolderHolder | undefined): string {
  return holder === undefined ? 'a process that does not answer' : `process ${holder.pid} since ${holder.since}`
}
