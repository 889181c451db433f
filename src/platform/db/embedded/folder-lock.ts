import { stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { asError, FatalError } from '../../errors.ts'
import { pause } from '../../retry.ts'

export interface FolderLockHolder {
  readonly pid: number
  readonly since: string
  /** Set once the server accepts queries. */
  readonly url?: string
}

export interface FolderLock {
  announce(url: string): void
  release(): Promise<void>
}

export interface FolderLockOptions {
  wait?: boolean | undefined
  signal?: AbortSignal | undefined
  log: (line: string) => void
}

/** A stopped (SIGSTOP) process holds the folder but does not respond. */
const answerTimeoutMs = 2000

/**
 * Locks a folder by a listening socket in the abstract namespace of Linux, named after the folder's
 * device and inode; the kernel releases it when the process ends. Not visible in other network
 * namespaces (containers that share the folder).
 */
export async function lockFolder(folder: string, options: FolderLockOptions): Promise<FolderLock> {
  const name = await lockName(folder)
  let reported = ''
  for (;;) {
    options.signal?.throwIfAborted()
    const lock = await tryLock(name)
    if (lock !== undefined) return lock
    const onHolder = (holder: FolderLockHolder | undefined): 'stay' => {
      const who = describe(holder)
      if (options.wait === false) throw inUse(folder, who)
      if (who !== reported) options.log(`Waiting for the data folder ${folder}, in use by ${who}`)
      reported = who
      return 'stay'
    }
    await followHolder(name, { onHolder, signal: options.signal, timeoutMs: answerTimeoutMs })
    // The name is released shortly after the connection closes; the jitter separates several
    // waiters.
    await pause(20 + Math.random() * 80, options.signal)
  }
}

/**
 * Undefined if none; `silent` if it does not respond because it is stopped (SIGSTOP) or its event
 * loop is blocked.
 */
export async function folderHolder(
  folder: string,
  timeoutMs = answerTimeoutMs,
): Promise<FolderLockHolder | 'silent' | undefined> {
  let found: FolderLockHolder | 'silent' | undefined
  const onHolder = (holder: FolderLockHolder | undefined): 'leave' => {
    found = holder ?? 'silent'
    return 'leave'
  }
  await followHolder(await lockName(folder), { onHolder, timeoutMs })
  return found
}

async function lockName(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true })
  return `\0flowfarm-data-folder-${dev}-${ino}`
}

/** Undefined if another process holds the name. */
function tryLock(name: string): Promise<FolderLock | undefined> {
  const holder: { pid: number; since: string; url?: string } = { pid: process.pid, since: new Date().toISOString() }
  const clients = new Set<Socket>()
  const server = createServer((client) => {
    clients.add(client)
    client.unref()
    client.once('close', () => clients.delete(client))
    client.on('error', () => client.destroy())
    client.resume()
    client.write(`${JSON.stringify(holder)}\n`)
  })
  const lock: FolderLock = {
    announce(url) {
      holder.url = url
    },
    release() {
      const closed = Promise.withResolvers<void>()
      server.close(() => closed.resolve())
      for (const client of clients) client.destroy()
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
  readonly onHolder: (holder: FolderLockHolder | undefined) => 'stay' | 'leave'
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs: number
}

/**
 * Passes the holder's response (undefined: none in time) to `onHolder` and, if that returns `stay`,
 * waits until the lock is released.
 */
function followHolder(name: string, { onHolder, signal, timeoutMs }: FollowOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = ''
    let answered = false
    const socket = connect({ path: name })
    const silence = setTimeout(() => report(undefined), timeoutMs)
    const onAbort = (): void => void socket.destroy()
    signal?.addEventListener('abort', onAbort, { once: true })

    const report = (holder: FolderLockHolder | undefined): void => {
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
      report(JSON.parse(received) as FolderLockHolder)
    })
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      // EAGAIN: the backlog is full, so a process holds the name. Refused or reset: it has ended.
      if (code === 'EAGAIN') report(undefined)
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
    `The data folder ${folder} is in use by ${who}. Stop it, or choose another folder.`,
  )
}

function describe(holder: FolderLockHolder | undefined): string {
  return holder === undefined ? 'a process that does not respond' : `process ${holder.pid} since ${holder.since}`
}
