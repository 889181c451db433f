import { once } from 'node:events'
import { createServer } from 'node:net'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { startRedis } from '../../../scripts/bench/start-redis.ts'
import { dropQueues, truncateQueues } from '../../support/drop-queues.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { Random } from '../../simulation/random.ts'
import { repositoryRoot } from '../../support/repository.ts'
import { writeWorkerFolder } from '../../support/worker-folder.ts'
import { publishedPayerSetting } from '../../../simnode/ledger/world/account.ts'
import { fundsInFlow } from '../checks/wallet-check.ts'
import { FeedListener } from '../listeners/feed-listener.ts'
import { QueryReader } from '../listeners/query-reader.ts'
import { RestReader } from '../listeners/rest-reader.ts'
import { WebhookListener } from '../listeners/webhook-listener.ts'
import { drawChainOffset } from '../plan/draw-plan.ts'
import type { Findings } from '../report/findings.ts'
import { WalletUsers } from '../wallet/wallet-users.ts'
import type { ProgramEnd } from './child-program.ts'
import { ChaosPostgres } from './chaos-postgres.ts'
import { DrivenChain } from './driven-chain.ts'
import { readProcfile } from './procfile.ts'
import { SimulatedNode } from './simulated-node.ts'
import { SmallDisk } from './small-disk.ts'
import { SupervisedProcess } from './supervised-process.ts'
import { WalletChain } from './wallet-chain.ts'

/**
 * A free port outside the ephemeral range: a restarted process must find its port free, and
 * outgoing connections of this machine use ports from 32768.
 */
export async function freePort(random: Random): Promise<number> {
  for (;;) {
    const port = random.integer(20_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      continue
    }
    server.close()
    await once(server, 'close')
    return port
  }
}

/** The queue backend of the farm and how its data is lost. */
export interface FarmQueue {
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
  empty(): Promise<void>
  /** Destroys the queue. @returns a function that restores it, if it does not recover by itself */
  destroy(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

export function postgresQueue(postgres: ChaosPostgres): FarmQueue {
  return {
    name: 'PostgreSQL',
    variables: {},
    empty: () => truncateQueues(postgres.pool),
    destroy: async () => {
      await dropQueues(postgres.pool)
      return () => Promise.resolve()
    },
    stop: () => Promise.resolve(),
  }
}

/** @returns undefined without a Redis */
export async function redisQueue(): Promise<FarmQueue | undefined> {
  const redis = await startRedis()
  if (redis === undefined) return undefined
  return {
    name: 'Redis',
    variables: { REDIS_URL: redis.url },
    empty: async () => {
      const client = new Redis(redis.url)
      await client.flushall()
      await client.quit()
    },
    destroy: async () => {
      await redis.kill()
      return () => redis.restart()
    },
    stop: () => redis.stop(),
  }
}

export interface WorldOptions {
  readonly seed: number
  /** Block interval of the chain. */
  readonly intervalMs: number
  /** Initial number of blocks. */
  readonly history: number
  readonly queue: 'postgres' | 'redis'
  /** Name of the run, in the environment of its processes. */
  readonly run: string
  /** An empty folder for temporary data. */
  readonly folder: string
  readonly logFolder: string
  readonly findings: Findings
  readonly tell: (line: string) => void
}

/** Ports of the process servers. */
interface Ports {
  readonly api: number
  readonly ask: number
  readonly mcp: number
  readonly wallet: number
}

/** Accepted reasons for an unexpected exit: the database is down or its disk is full. */
type EnvironmentFault = 'database' | 'disk'

/** Exit code of a program that may succeed after a restart. */
const temporaryFailure = 75
/** Grace period after a fault during which a process may still exit because of it. */
const afterFaultMs = 15_000
const nodeCount = 2
const memoryEveryMs = 1000

/** Shared variables besides URLs: pauses no longer than acts. */
const variables = {
  LOG_FORMAT: 'json',
  HOST: '127.0.0.1',
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  WEBHOOK_RETRY_BASE_MS: '200',
  WEBHOOK_RETRY_CAP_MS: '2000',
  WEBHOOK_MAX_TRIES: '100',
  WEBHOOK_PAUSE_AFTER: '10000',
  WORKER_RETRY_CAP_MS: '4000',
}

/**
 * Everything that runs in a chaos run: database, queue, nodes, processes of the Procfile and their
 * listeners.
 */
export class ChaosWorld {
  readonly options: WorldOptions
  readonly findings: Findings
  readonly postgres: ChaosPostgres
  readonly processes: readonly SupervisedProcess[]
  readonly chain: DrivenChain
  readonly queue: FarmQueue
  readonly url: string
  /** The reason, if not available. */
  readonly disk: SmallDisk | string
  readonly feed: FeedListener
  readonly rest: RestReader
  readonly queries: QueryReader
  readonly walletChain: WalletChain
  readonly users: WalletUsers
  webhooks: WebhookListener | undefined
  wasClockStepped = false
  /** Processes whose clock was wrong at any time. */
  readonly steppedClocks = new Set<string>()
  readonly #faults = new Map<EnvironmentFault, number>()
  #ended: Promise<void> | undefined
  readonly #sampling: NodeJS.Timeout

  private constructor(parts: {
    readonly options: WorldOptions
    readonly postgres: ChaosPostgres
    readonly chain: DrivenChain
    readonly queue: FarmQueue
    readonly disk: SmallDisk | string
    readonly ports: Ports
    readonly walletChain: WalletChain
  }) {
    const { options, chain, queue, postgres } = parts
    this.options = options
    this.findings = options.findings
    this.postgres = postgres
    this.chain = chain
    this.queue = queue
    this.disk = parts.disk
    this.walletChain = parts.walletChain
    const { api, ask, mcp, wallet } = parts.ports
    this.url = `http://127.0.0.1:${api}`
    this.processes = readProcfile().map(
      (entry) =>
        new SupervisedProcess({
          ...entry,
          logFolder: options.logFolder,
          run: options.run,
          variables: {
            ...variables,
            ...queue.variables,
            DB_URL: postgres.url,
            PORT: String(api),
            ASK_PORT: String(ask),
            MCP_PORT: String(mcp),
            BACKEND_URL: this.url,
            // These ports are not used by clients.
            CHAT_PORT: '0',
            HTTP_PORT: '0',
            LSP_PORT: '0',
            TOOLS_PORT: '0',
            PROXY_PORT: '0',
            MCP_SERVER_URL: `http://127.0.0.1:${mcp}/mcp`,
            WALLET_PORT: String(wallet),
            WALLET_TESTNET_NODE: this.walletChain.endpoint,
            WALLET_TESTNET_PAYER: publishedPayerSetting,
            WALLET_TESTNET_FUNDS: String(fundsInFlow),
            WALLET_PROVISION_LIMIT: '1000000',
            MAIL_FOLDER: mailFolder(options),
            WORKERS_DIR: workersFolder(options),
            CHROMA_PERSIST_DIR: join(options.folder, 'approved-examples'),
            CHAIN_ACCESS_NODES: chain.nodes.map(({ endpoint }) => endpoint).join(','),
          },
          onUnexpectedExit: (end, process) => this.#judge(end, process),
        }),
    )
    this.feed = new FeedListener(`ws://127.0.0.1:${api}/ws`, options.findings)
    const { seed, findings } = options
    this.rest = new RestReader({ url: this.url, seed, chain, web: this.#processOf('api'), findings })
    this.queries = new QueryReader({
      ask: { url: `http://127.0.0.1:${ask}`, process: this.#processOf('ask') },
      mcp: { url: `http://127.0.0.1:${mcp}`, process: this.#processOf('mcp') },
      seed,
      chain,
      findings,
    })
    const sessionManager = this.#processOf('wallet')
    this.users = new WalletUsers({
      url: `http://localhost:${wallet}`,
      process: sessionManager,
      mailFolder: mailFolder(options),
      seed,
      findings,
      wasClockStepped: () => this.steppedClocks.has(sessionManager.name),
      wasDatabaseAway: () => this.hasFault('database') || this.hasFault('disk'),
    })
    this.#sampling = setInterval(() => this.processes.forEach((process) => process.sample()), memoryEveryMs)
  }

  /** Starts database, queue, nodes and processes; listeners start when there is data. */
  static async start(options: WorldOptions): Promise<ChaosWorld> {
    const { seed, folder, logFolder, run, intervalMs, history, tell, findings } = options
    await mkdir(logFolder, { recursive: true })
    const disk = await SmallDisk.mount(folder)
    const started: { world?: ChaosWorld } = {}
    const postgres = new ChaosPostgres(folder, tell, (lastLines) => started.world?.judgeDatabase(lastLines))
    await postgres.start()
    await migrate(postgres.pool, join(repositoryRoot, 'migrations'))
    await writeWorkerFolder(workersFolder(options))
    const head = history - 1
    const clock = {
      height: 0,
      time: new Date(Date.now() + drawChainOffset(seed) - history * intervalMs),
      spacingMs: intervalMs,
    }
    const nodes = Array.from(
      { length: nodeCount },
      (_, i) => new SimulatedNode({ name: `node-${i + 1}`, seed, clock, logFolder, run }, { branch: '', head }),
    )
    for (const node of nodes) await node.start()
    const chain = new DrivenChain({ seed, nodes, head, clock })
    const redis = options.queue === 'redis' ? await redisQueue() : undefined
    if (options.queue === 'redis' && redis === undefined)
      findings.add('setup', 'Redis was requested but is not installed')
    const walletChain = await WalletChain.start({ seed, logFolder, run })
    const world = new ChaosWorld({
      options,
      postgres,
      chain,
      queue: redis ?? postgresQueue(postgres),
      disk,
      ports: await freePorts(),
      walletChain,
    })
    started.world = world
    for (const process of world.processes) process.start()
    chain.run()
    return world
  }

  async listen(): Promise<void> {
    this.webhooks = await WebhookListener.start(this.postgres.pool)
    this.feed.start()
    this.rest.start()
    this.queries.start()
    this.users.start()
  }

  process(name: string): SupervisedProcess {
    const found = this.processes.find((process) => process.name === name)
    if (found === undefined) throw new Error(`unknown process ${name}`)
    return found
  }

  #processOf(service: string): SupervisedProcess {
    const found = this.processes.find(({ services }) => services.includes(service))
    if (found === undefined) throw new Error(`no process of the Procfile runs ${service}`)
    return found
  }

  /** Whether this fault is active, or was until a moment ago. */
  hasFault(fault: EnvironmentFault): boolean {
    return performance.now() < (this.#faults.get(fault) ?? -Infinity) + afterFaultMs
  }

  /** Active until the returned function is called. */
  beginFault(fault: EnvironmentFault): () => void {
    this.#faults.set(fault, Infinity)
    return () => void this.#faults.set(fault, performance.now())
  }

  /** An unexpected exit of a server; accepted only with a full disk. */
  judgeDatabase(lastLines: string): void {
    if (!this.hasFault('disk')) this.findings.add('database', `PostgreSQL exited unexpectedly:\n${lastLines}`)
  }

  /** Stops what remains without checks; idempotent. */
  end(): Promise<void> {
    return (this.#ended ??= this.#end())
  }

  async #end(): Promise<void> {
    clearInterval(this.#sampling)
    this.chain.halt()
    this.users.end()
    await Promise.all([this.rest.stop(), this.queries.stop(), this.users.stop()])
    await this.feed.stop()
    for (const process of this.processes) process.thaw()
    await Promise.all(this.processes.map((process) => process.stop()))
    await Promise.all([...this.chain.nodes, this.walletChain].map((node) => node.stop()))
    await this.webhooks?.stop()
    await this.queue.stop()
    await this.postgres.end()
    // Checked while their folder exists.
    for (const pid of await this.postgres.leftOver())
      this.findings.add('leftovers', `a PostgreSQL process is still running: ${pid}`)
    if (typeof this.disk !== 'string') await this.disk.unmount()
    for (const folder of [this.options.folder, mailFolder(this.options), workersFolder(this.options)])
      await rm(folder, { recursive: true, force: true })
  }

  /**
   * An unexpected exit of a process: accepted with 75, with a full disk, or if it started while the
   * database was down.
   */
  #judge(end: ProgramEnd, process: SupervisedProcess): void {
    const { tell, findings } = this.options
    const mayEnd =
      end === temporaryFailure && (this.hasFault('disk') || (this.hasFault('database') && !process.wasReady))
    if (mayEnd) tell(`${process.name} exited with ${end}; restarting`)
    else findings.add('processes', `${process.name} exited unexpectedly with ${end}:\n${process.lastLines(3)}`)
  }
}

/** Outside the small disk: an e-mail that cannot be written is lost, which is accepted. */
export function workersFolder({ folder }: Pick<WorldOptions, 'folder'>): string {
  return `${folder}-workers`
}

function mailFolder({ folder }: WorldOptions): string {
  return `${folder}-mail`
}

async function freePorts(): Promise<Ports> {
  const random = new Random(process.pid)
  const found = new Set<number>()
  while (found.size < 4) found.add(await freePort(random))
  const [api = 0, ask = 0, mcp = 0, wallet = 0] = found
  return { api, ask, mcp, wallet }
}
