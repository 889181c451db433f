import { execFile, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The program is in redis-tools. */
const packages = ['redis-server', 'redis-tools', 'libjemalloc2', 'liblzf1', 'libatomic1']
const unpacked = join(
  import.meta.dirname,
  `../../.flowfarm/redis-${createHash('sha256').update(packages.join()).digest('hex').slice(0, 8)}`,
)

export interface RedisServer {
  readonly url: string
  /** SIGKILL. */
  kill(): Promise<void>
  restart(): Promise<void>
  stop(): Promise<void>
}

interface RedisOptions {
  readonly policy?: string
  readonly address?: string
}

interface Program {
  readonly path: string
  readonly libraries: string | undefined
}

let found: Promise<Program | undefined> | undefined

/** @returns undefined without `redis-server`; skip the test then */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer | undefined> {
  found ??= findProgram()
  const program = await found
  if (program === undefined) return undefined
  const folder = await mkdtemp(join(tmpdir(), `flowfarm-test-redis-data-${process.pid}-`))
  const { policy = 'noeviction', address = '127.0.0.1' } = options
  const [port = 0] = await freePorts(1, address)
  const started = (): Promise<ChildProcess> => start(program, folder, { address, port, policy })
  let child = await started()
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return {
    url: `redis://${address}:${port}`,
    kill,
    restart: async () => {
      await kill()
      child = await started()
    },
    stop: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function start(
  program: Program,
  folder: string,
  { address, port, policy }: { readonly address: string; readonly port: number; readonly policy: string },
): Promise<ChildProcess> {
  const child = spawn(
    program.path,
    [
      '--port',
      String(port),
      '--bind',
      address,
      '--protected-mode',
      'no',
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--save',
      '',
      '--maxmemory-policy',
      policy,
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...(program.libraries === undefined ? {} : { LD_LIBRARY_PATH: program.libraries }) },
    },
  )
  const lines: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (/ready to accept connections/i.test(line)) {
      child.stdout.resume()
      return child
    }
  }
  throw new Error(`redis-server did not start:\n${lines.join('\n')}`)
}

async function findProgram(): Promise<Program | undefined> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'redis-server')
    if (existsSync(path)) return { path, libraries: undefined }
  }
  const path = join(unpacked, 'usr/bin/redis-check-rdb')
  if (!existsSync(path) && !(await unpackPackages())) return undefined
  const libraries = join(
    unpacked,
    'usr/lib',
    (await readdir(join(unpacked, 'usr/lib'))).find((name) => name.endsWith('-linux-gnu')) ?? '',
  )
  return { path: join(unpacked, 'usr/bin/redis-server'), libraries }
}

async function unpackPackages(): Promise<boolean> {
  await mkdir(dirname(unpacked), { recursive: true })
  const folder = await mkdtemp(`${unpacked}-unpack-`)
  try {
    await run('apt-get', ['download', '-qq', ...packages], { cwd: folder, timeout: 300_000 })
    await mkdir(join(folder, 'root'))
    for (const file of (await readdir(folder)).filter((name) => name.endsWith('.deb')))
      await run('dpkg', ['-x', join(folder, file), join(folder, 'root')])
    await rename(join(folder, 'root'), unpacked)
    return true
  } catch (error) {
    // Another system, no network, or a concurrent process.
    process.stderr.write(`no redis-server: ${error instanceof Error ? error.message : String(error)}\n`)
    return existsSync(unpacked)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

export async function freePorts(count: number, address: string): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, address))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports
}
