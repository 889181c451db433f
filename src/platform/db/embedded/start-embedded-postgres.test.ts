import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { Client } from 'pg'
import { FatalError, RetryableError } from '../../errors.ts'
import { pause } from '../../retry.ts'
import { createPool } from '../pool.ts'
import { folderHolder } from './folder-lock.ts'
import { postmasterPid, processesIn } from './leftover-servers.ts'
import {
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './start-embedded-postgres.ts'
import { Stopwatch } from '../../../../test/support/stopwatch.ts'

const ownerProgram = join(import.meta.dirname, '../../../../test/support/embedded-owner.ts')
const isRoot = process.geteuid?.() === 0
const nobody = 65_534

interface OwnerReport {
  readonly url?: string
  readonly lines?: string[]
  readonly code?: string
  readonly message?: string
}

describe('startEmbeddedPostgres', function () {
  /** Contains all files of these tests. */
  let root: string
  /** A data folder that was used once. Tests copy it, which is faster than initdb. */
  let used: string
  let folders = 0
  const owners: ChildProcess[] = []
  const servers: EmbeddedPostgres[] = []

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'flowfarm-embedded-'))
    await chmod(root, 0o711)
    used = await newFolder()
    const server = await start(used)
    await run(server.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await server.stop()
  })
  afterEach(async () => {
    for (const owner of owners.splice(0)) owner.kill('SIGKILL')
    await Promise.all(servers.splice(0).map((server) => server.stop()))
  })
  after(() => rm(root, { recursive: true, force: true, maxRetries: 10 }))

  async function newFolder(): Promise<string> {
    const folder = join(root, String(++folders))
    await mkdir(folder)
    return folder
  }

  async function usedFolder(): Promise<string> {
    const folder = await newFolder()
    // `cp` of Node takes ten times the CPU time.
    await promisify(execFile)('cp', ['-R', join(used, 'cluster'), join(folder, 'cluster')])
    await chmod(join(folder, 'cluster'), 0o700)
    return folder
  }

  async function start(dataFolder: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const settings = { fsync: 'off', shared_buffers: '32MB', ...options.settings }
    const server = await startEmbeddedPostgres({ log: () => undefined, wait: false, ...options, dataFolder, settings })
    servers.push(server)
    return server
  }

  async function failure(promise: Promise<unknown>): Promise<FatalError | RetryableError> {
    const error = await promise.then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (error instanceof FatalError || error instanceof RetryableError) return error
    throw new Error(`expected an error of our tree, not ${String(error)}`, { cause: error })
  }

  /** Runs one statement and returns its first value. */
  async function run(url: string, sql: string): Promise<unknown> {
    const pool = createPool(url, { max: 1 })
    try {
      const { rows } = await pool.query<Record<string, unknown>>(sql)
      return rows[0] === undefined ? undefined : Object.values(rows[0])[0]
    } finally {
      await pool.end()
    }
  }

  async function spawnOwner(
    folder: string,
    identity: { uid?: number; gid?: number } = {},
  ): Promise<[ChildProcess, OwnerReport]> {
    const owner = spawn(process.execPath, [ownerProgram, folder], { stdio: ['pipe', 'pipe', 'inherit'], ...identity })
    owners.push(owner)
    const [line] = (await once(createInterface(owner.stdout), 'line')) as [string]
    return [owner, JSON.parse(line) as OwnerReport]
  }

  async function canRead(uid: number, path: string): Promise<boolean> {
    const reader = spawn('/bin/sh', ['-c', 'test -r "$0" && test -x "$1"', path, process.execPath], { uid, gid: uid })
    const [code] = (await once(reader, 'exit')) as [number | null]
    return code === 0
  }

  /** The state is in the kernel, which sends no notification, so the test polls. */
  async function untilNoServer(folder: string): Promise<void> {
    while ((await processesIn(join(folder, 'cluster'))).length > 0) await pause(5)
  }

  async function killNow(process_: ChildProcess): Promise<void> {
    process_.kill('SIGKILL')
    await once(process_, 'exit')
  }

  it('terminates only a statement that exceeds the memory limit of its session', async function () {
    if (process.platform !== 'linux') this.skip()
    const { url } = await start(await newFolder())
    const values = Array.from({ length: 16 }, (_, i) => `repeat('${i}', 900000000)`)
    const error = await run(url, `select ${values.join(', ')}`).then(
      () => undefined,
      (thrown: unknown) => thrown as { code?: string },
    )
    expect(error?.code).to.equal('53200')
    expect(await run(url, `select length(repeat('x', 100000000))`)).to.equal(100_000_000)
  })

  describe('an unresponsive session', () => {
    /** Computes for many minutes without checking for interrupts. */
    const uninterruptible =
      "select path(polygon(20000, circle '((0,0),1)')) <-> path(polygon(20000, circle '((1,1),1)'))"

    /** Resolves with the process id of a session that computes and has ignored its cancellation. */
    async function stuckSession(url: string): Promise<number> {
      const client = new Client({ connectionString: url })
      client.on('error', () => undefined)
      await client.connect()
      const { processID: pid } = client as Client & { readonly processID: number }
      client.query(uninterruptible).catch(() => undefined)
      // A running statement has no client wait event.
      while (
        (await run(url, `SELECT state = 'active' AND wait_event IS NULL FROM pg_stat_activity WHERE pid = ${pid}`)) !==
        true
      )
        await pause(5)
      await run(url, `SELECT pg_terminate_backend(${pid})`)
      return pid
    }

    it('is interrupted without affecting other sessions', async () => {
      const server = await start(await usedFolder())
      const startedAt = await run(server.url, 'SELECT pg_postmaster_start_time()::text')
      const other = new Client({ connectionString: server.url })
      await other.connect()
      const pid = await stuckSession(server.url)
      while ((await other.query('SELECT FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount !== 0)
        await server.interrupt([pid, process.pid])
      await other.end()
      expect(await run(server.url, 'SELECT pg_postmaster_start_time()::text')).to.equal(startedAt)
    })

    it('is not interrupted while it waits, nor are processes that run no statements', async () => {
      const folder = await usedFolder()
      const server = await start(folder)
      const client = new Client({ connectionString: server.url })
      await client.connect()
      await server.interrupt(await processesIn(join(folder, 'cluster')))
      expect((await client.query('SELECT 1')).rowCount).to.equal(1)
      await client.end()
    })

    it('does not prevent a clean stop of the server', async () => {
      const folder = await usedFolder()
      const server = await start(folder)
      await stuckSession(server.url)
      await server.stop()
      expect(await server.exited).to.include({ code: 0, expected: true })
      expect(await processesIn(join(folder, 'cluster'))).to.deep.equal([])
    })

    it('does not delay the stop of the server beyond its time limit, even if it ignores interrupts', async () => {
      const folder = await usedFolder()
      const server = await start(folder)
      process.kill(await stuckSession(server.url), 'SIGSTOP')
      await server.stop(1000)
      expect((await server.exited).expected).to.equal(true)
      expect(await processesIn(join(folder, 'cluster'))).to.deep.equal([])
      const again = await start(folder)
      expect(await run(again.url, 'SELECT answer FROM kept')).to.equal(42)
    })

    it('ends when the owner is killed', async () => {
      const folder = await usedFolder()
      const [owner, report] = await spawnOwner(folder)
      await stuckSession(String(report.url))
      await killNow(owner)
      await untilNoServer(folder)
    })
  })

  describe('a data folder', () => {
    it('preserves its data and URL across restarts', async () => {
      const folder = await usedFolder()
      const first = await start(folder)
      await first.stop()
      const second = await start(folder)
      expect(second.url).to.equal(first.url)
      expect(await run(second.url, 'SELECT answer FROM kept')).to.equal(42)
    })

    it('may have a path too long for a socket, with spaces and quotes', async () => {
      const folder = join(await usedFolder(), `it's "odd", `.repeat(10))
      const server = await start(folder)
      expect(await run(server.url, 'SELECT 1')).to.equal(1)
      expect((await server.stop(), await server.exited).expected).to.equal(true)
    })

    it('is distinguished from an incomplete one', async () => {
      const folder = await newFolder()
      await mkdir(join(folder, 'cluster.new-1', 'base'), { recursive: true })
      await start(folder)
      expect(await readdir(folder))
        .to.include('cluster')
        .and.not.include('cluster.new-1')
    })

    it('is rejected unchanged if it has another major version', async () => {
      const folder = await usedFolder()
      await writeFile(join(folder, 'cluster', 'PG_VERSION'), '15\n')
      const error = await failure(start(folder))
      expect(error).to.be.instanceOf(FatalError)
      expect(error.code).to.equal('cluster-version')
      expect(await folderHolder(folder)).to.equal(undefined)
    })

    it('is served by the socket only, and durably by default', async () => {
      const server = await startEmbeddedPostgres({ dataFolder: await usedFolder(), log: () => undefined })
      servers.push(server)
      for (const [name, value] of Object.entries({
        listen_addresses: '',
        fsync: 'on',
        synchronous_commit: 'on',
        jit: 'off',
      })) {
        expect(await run(server.url, `SHOW ${name}`), name).to.equal(value)
      }
    })

    it('is rejected, with the variables to set, if it is invalid or not writable', async function () {
      const folder = await newFolder()
      const file = join(folder, 'file')
      await writeFile(file, '')
      for (const place of [file, join(file, 'data'), '/proc/flowfarm/data']) {
        const error = await failure(start(place))
        expect([error.constructor, error.code], place).to.deep.equal([FatalError, 'data-folder'])
        expect(error.message).to.include(place).and.to.include('DATA_FOLDER').and.to.include('DB_URL')
      }
      if (!isRoot || !(await canRead(nobody, ownerProgram))) return this.skip()
      await chmod(folder, 0o755)
      for (const place of [folder, join(folder, 'data')]) {
        const [, refused] = await spawnOwner(place, { uid: nobody, gid: nobody })
        expect(refused.code, place).to.equal('data-folder')
      }
    })

    it('has a bounded log, and startup errors include the reason', async () => {
      const folder = await usedFolder()
      await writeFile(join(folder, 'postgres.log'), Buffer.alloc(9 * 1024 * 1024, 'x\n'))
      const error = await failure(start(folder, { settings: { work_mem: 'much' } }))
      expect(error).to.be.instanceOf(RetryableError)
      expect(error.message).to.include('work_mem')
      expect((await readFile(join(folder, 'postgres.log'))).length).to.be.lessThan(10_000)
    })
  })

  describe('two owners', () => {
    it('rejects the second one with the pid of the first', async () => {
      const folder = await usedFolder()
      const [owner, report] = await spawnOwner(folder)
      const error = await failure(start(folder))
      expect(error).to.be.instanceOf(FatalError)
      expect(error.code).to.equal('data-folder-in-use')
      expect(error.message).to.include(`process ${owner.pid} since 20`)
      expect(await folderHolder(folder)).to.include({ pid: owner.pid, url: report.url })
    })

    it('distinguishes a suspended or busy owner from a missing one', async () => {
      const folder = await usedFolder()
      const [owner, report] = await spawnOwner(folder)
      owner.kill('SIGSTOP')
      try {
        expect(await folderHolder(folder, 50)).to.equal('silent')
        const error = await failure(start(folder))
        expect(error.code).to.equal('data-folder-in-use')
        expect(error.message).to.include('a process that does not respond')
      } finally {
        owner.kill('SIGCONT')
      }
      expect(await folderHolder(folder, 60_000)).to.include({ pid: owner.pid, url: report.url })
      owner.kill('SIGKILL')
      await once(owner, 'exit')
      expect(await folderHolder(folder, 60_000)).to.equal(undefined)
    })

    it('lets the second one wait, and take over after the first is killed', async () => {
      const folder = await usedFolder()
      const [owner] = await spawnOwner(folder)
      const reported = Promise.withResolvers<string>()
      const second = start(folder, { wait: true, log: reported.resolve })
      expect(await reported.promise).to.include(`in use by process ${owner.pid}`)
      owner.kill('SIGKILL')
      expect(await run((await second).url, 'SELECT answer FROM kept')).to.equal(42)
    })

    it('stops waiting on abort', async () => {
      const folder = await usedFolder()
      await start(folder)
      const controller = new AbortController()
      const reason = new Error('enough')
      const second = start(folder, { wait: true, signal: controller.signal, log: () => controller.abort(reason) })
      expect(await second.catch((error: unknown) => error)).to.equal(reason)
    })
  })

  describe('sudden termination', () => {
    it('leaves no server behind when the owner is killed', async () => {
      const folder = await usedFolder()
      const [owner] = await spawnOwner(folder)
      expect(await processesIn(join(folder, 'cluster'))).not.to.deep.equal([])
      await killNow(owner)
      const killedAt = new Stopwatch()
      await untilNoServer(folder)
      await killedAt.expectBelow(2000)
    })

    it('stops a server whose watchdog was killed too', async () => {
      const folder = await usedFolder()
      const cluster = join(folder, 'cluster')
      const [owner, report] = await spawnOwner(folder)
      const postmaster = await postmasterPid(cluster)
      const watchdog = Number(/^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${postmaster}/status`, 'utf8'))?.[1])
      // A suspended owner does not stop the server when it loses the watchdog.
      owner.kill('SIGSTOP')
      // A suspended watchdog starts no other child, which would survive and stop the server.
      process.kill(watchdog, 'SIGSTOP')
      const children = await readFile(`/proc/${watchdog}/task/${watchdog}/children`, 'utf8')
      for (const pid of [watchdog, ...children.trim().split(' ').map(Number)]) {
        if (pid !== postmaster) process.kill(pid, 'SIGKILL')
      }
      await killNow(owner)
      expect(await run(String(report.url), 'SELECT 1')).to.equal(1)

      const lines: string[] = []
      const server = await start(folder, { log: (line) => lines.push(line) })
      expect(lines.join()).to.include(`SIGINT to ${postmaster}`)
      expect(await run(server.url, 'SELECT answer FROM kept')).to.equal(42)
      expect(await postmasterPid(cluster)).not.to.equal(postmaster)
    })

    it('does not block startup if the number in a pid file belongs to another process', async () => {
      const folder = await usedFolder()
      const cluster = join(folder, 'cluster')
      await writeFile(join(cluster, 'postmaster.pid'), `${process.pid}\n${cluster}\n1\n5432\n\n\n1 1\nready\n`)
      const server = await start(folder)
      expect(await run(server.url, 'SELECT answer FROM kept')).to.equal(42)
    })

    it('notifies the owner when the server dies, and recovers at the next start', async () => {
      const folder = await usedFolder()
      const server = await start(folder)
      await run(server.url, 'INSERT INTO kept VALUES (43)')
      process.kill((await postmasterPid(join(folder, 'cluster'))) as number, 'SIGKILL')
      const exit = await server.exited
      expect(exit.expected).to.equal(false)
      expect(exit.code).to.equal(137)
      const again = await start(folder)
      expect(await run(again.url, 'SELECT sum(answer)::int FROM kept')).to.equal(85)
    })

    it('allows stopping twice', async () => {
      const server = await start(await usedFolder())
      await server.stop()
      await server.stop()
      expect(await server.exited).to.include({ code: 0, expected: true })
    })
  })

  describe('an installation', () => {
    /** A copy of the installed package as npm leaves it with install scripts disabled. */
    async function packageWithoutLinks(): Promise<string> {
      const folder = join(await newFolder(), 'package')
      const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
      await cp(new URL('..', entry), folder, {
        recursive: true,
        filter: (source) =>
          !/\.so(\.\d+)?$/.test(source) || !/\/lib(ecpg|ecpg_compat|icu\w+|pgtypes|pq)\./.test(source),
      })
      return join(folder, 'native')
    }

    it('is completed if its install scripts did not run, even by two processes at once', async () => {
      const nativeFolder = await packageWithoutLinks()
      expect(await readdir(join(nativeFolder, 'lib'))).not.to.include('libicuuc.so.60')
      const both = await Promise.all(
        [await usedFolder(), await usedFolder()].map((folder) => start(folder, { nativeFolder })),
      )
      for (const server of both) expect(await run(server.url, 'SELECT 1')).to.equal(1)
      expect(await readdir(join(nativeFolder, 'lib'))).to.include('libicuuc.so.60')
    })

    it('runs from a copy if it cannot run in place', async () => {
      const nativeFolder = await packageWithoutLinks()
      // As root, the server's user has no access. As an ordinary user, the links cannot be created.
      if (isRoot) await chmod(join(nativeFolder, '..', '..'), 0o700)
      else await chmod(join(nativeFolder, 'lib'), 0o500)
      const folder = await usedFolder()
      const lines: string[] = []
      const server = await start(folder, { nativeFolder, log: (line) => lines.push(line) })
      expect(lines.join()).to.include(`using the copy ${folder}`)
      expect(await run(server.url, 'SELECT 1')).to.equal(1)
      await server.stop()

      // A damaged copy is recreated.
      const [copy] = (await readdir(folder)).filter((name) => name.startsWith('postgresql-'))
      const library = join(folder, String(copy), 'native', 'lib', 'libpq.so.5.18')
      await truncate(library)
      const again = await start(folder, { nativeFolder })
      expect(await run(again.url, 'SELECT 1')).to.equal(1)
      expect((await stat(library)).size).to.be.greaterThan(0)
      await chmod(join(nativeFolder, 'lib'), 0o700)
    })

    it('is completed if its copy lost a link', async () => {
      const nativeFolder = await packageWithoutLinks()
      await chmod(join(nativeFolder, isRoot ? '../..' : 'lib'), isRoot ? 0o700 : 0o500)
      const folder = await usedFolder()
      await (await start(folder, { nativeFolder })).stop()
      const [copy] = (await readdir(folder)).filter((name) => name.startsWith('postgresql-'))
      await rm(join(folder, String(copy), 'native', 'lib', 'libicuuc.so.60'))
      const again = await start(folder, { nativeFolder })
      expect(await run(again.url, 'SELECT 1')).to.equal(1)
      await chmod(join(nativeFolder, 'lib'), 0o700)
    })

    it('is rejected, with the fix, if the program is missing', async () => {
      const nativeFolder = join(await newFolder(), 'native')
      await mkdir(nativeFolder)
      await writeFile(join(nativeFolder, 'pg-symlinks.json'), '[]')
      await writeFile(join(nativeFolder, '..', 'package.json'), '{"version":"0.0.0"}')
      const error = await failure(start(await usedFolder(), { nativeFolder }))
      expect(error.code).to.equal('embedded-postgres-unusable')
      expect(error.message).to.include('DB_URL')
    })
  })

  describe('users', () => {
    it("starts for root if the server's user has no access to the parent folders", async function () {
      if (!isRoot) return this.skip()
      const closed = join(await newFolder(), 'closed')
      await mkdir(closed, { mode: 0o700 })
      const folder = join(closed, 'data')
      const server = await start(folder)
      expect(await run(server.url, 'SELECT 1')).to.equal(1)
      await server.stop()
      await start(folder)
    })

    it('starts for an ordinary user, and rejects files of other users', async function () {
      if (!isRoot) return this.skip()
      const folder = await newFolder()
      await chown(folder, nobody, nobody)
      if (!(await canRead(nobody, ownerProgram))) return this.skip()
      const [owner, report] = await spawnOwner(folder, { uid: nobody, gid: nobody })
      expect(report.message).to.equal(undefined)
      // Root takes over the folder as its owner and leaves it to that user.
      owner.stdin?.end()
      await once(owner, 'exit')
      await (await start(folder)).stop()
      const [, again] = await spawnOwner(folder, { uid: nobody, gid: nobody })
      expect(again.message).to.equal(undefined)

      const foreign = await usedFolder()
      await chown(foreign, nobody, nobody)
      const [, refused] = await spawnOwner(foreign, { uid: nobody, gid: nobody })
      expect(refused.code).to.equal('foreign-data-folder')
    })
  })
})
