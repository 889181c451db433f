import { spawn, execFile } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Pool } from 'pg'
import { bareEnvironment } from '../support/bare-environment.ts'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { MachineNetwork } from './machine-network.ts'

/**
 * A program of a machine that reports readiness in its first line, and stops when its standard
 * input ends.
 */
export class MachineProgram {
  /** Its first line. */
  readonly firstLine: string
  readonly #child: ChildProcess

  private constructor(child: ChildProcess, firstLine: string) {
    this.#child = child
    this.firstLine = firstLine
  }

  /** Starts `node <args…>` with the prefix `command`, and waits for its first line. */
  static async start(
    [program, ...before]: readonly [string, ...string[]],
    args: readonly string[],
  ): Promise<MachineProgram> {
    const child = spawn(program, [...before, process.execPath, ...args], {
      env: bareEnvironment(),
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: child.stdout })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${args.join(' ')} ended with ${String(code)} before it said anything`)
    })
    ended.catch(() => undefined)
    const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
    return new MachineProgram(child, line)
  }

  /** Ends it through its standard input. */
  async stop(signal?: NodeJS.Signals): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    if (signal === undefined) this.#child.stdin?.end()
    else this.#child.kill(signal)
    await exited
  }
}

const root = join(import.meta.dirname, '../..')
const nodePort = 3569
const apiPort = 8080

/** The machines of a farm. Two of them run workers. */
export const machines = ['database', 'queues', 'node', 'ingester', 'api', 'one', 'two', 'visitor'] as const

export type Machine = (typeof machines)[number]

/**
 * PostgreSQL, Redis and a simulated access node on separate machines, with the farm processes on
 * others.
 */
export class FarmMachines {
  readonly network: MachineNetwork
  /** The database, reached without the network. */
  readonly url: string
  readonly pool: Pool
  readonly #folder: string
  readonly #servers: readonly MachineProgram[]
  readonly #node: MachineProgram
  readonly #addresses: Readonly<Record<'DB_URL' | 'REDIS_URL' | 'CHAIN_ACCESS_NODE', string>>
  readonly #processes: FlowfarmProcess[] = []

  private constructor(parts: {
    network: MachineNetwork
    url: string
    folder: string
    servers: MachineProgram[]
    node: MachineProgram
    redisUrl: string
  }) {
    this.network = parts.network
    this.url = parts.url
    this.pool = createPool(parts.url, { applicationName: 'test' })
    this.#folder = parts.folder
    this.#servers = parts.servers
    this.#node = parts.node
    this.#addresses = {
      DB_URL: `postgresql://flowfarm@${parts.network.address('database', 'data')}:5432/flowfarm`,
      REDIS_URL: parts.redisUrl,
      CHAIN_ACCESS_NODE: `${parts.network.address('node', 'front')}:${nodePort}`,
    }
  }

  /** The reason and fix if no machines can be created. */
  static async missing(): Promise<string | undefined> {
    const network = await MachineNetwork.missing()
    if (network !== undefined) return network
    // Machines have no route to the internet, so it cannot be downloaded.
    const redis = await startRedis()
    await redis?.stop()
    return redis === undefined ? 'redis-server not found: install it' : undefined
  }

  /** @param node arguments of the simulated node */
  static async start(node: readonly string[]): Promise<FarmMachines> {
    const network = await MachineNetwork.create(machines)
    const folder = await mkdtemp(join(tmpdir(), 'flowfarm-machines-'))
    await chmod(folder, 0o711)
    const start = (machine: Machine, ...args: string[]): Promise<MachineProgram> =>
      MachineProgram.start(network.command(machine), args)
    const [postgres, redis, simulated] = await Promise.all([
      start('database', join(import.meta.dirname, 'postgres-machine.ts'), folder, network.address('database', 'data')),
      start('queues', join(import.meta.dirname, 'redis-machine.ts'), network.address('queues', 'front')),
      start(
        'node',
        join(root, 'scripts/simnode.ts'),
        '--host',
        network.address('node', 'front'),
        '--port',
        String(nodePort),
        ...node,
      ),
    ])
    const { url } = JSON.parse(postgres.firstLine) as { url: string }
    const { url: redisUrl } = JSON.parse(redis.firstLine) as { url: string }
    const made = new FarmMachines({ network, url, folder, servers: [postgres, redis], node: simulated, redisUrl })
    await migrate(made.pool, join(root, 'migrations'))
    return made
  }

  /**
   * Starts services on a machine; they reach database, queues and access node only through its
   * network interfaces.
   */
  run(machine: Machine, services: readonly string[], variables: Record<string, string> = {}): FlowfarmProcess {
    const { CHAIN_ACCESS_NODE, ...addresses } = this.#addresses
    const program = new FlowfarmProcess(
      services,
      {
        LOG_LEVEL: 'debug',
        ...addresses,
        ...(services.includes('farm') ? {} : { CHAIN_ACCESS_NODE }),
        HOST: this.network.address(machine, 'front'),
        PORT: String(apiPort),
        ...variables,
      },
      this.network.command(machine),
    )
    this.#processes.push(program)
    return program
  }

  /** The response of the API on machine `api` to a client on machine `visitor`. */
  async ask(path: string): Promise<unknown> {
    const program = `process.stdout.write(await (await fetch(process.argv[1])).text())`
    const [ip, ...args] = this.network.command('visitor')
    const { stdout } = await promisify(execFile)(
      ip,
      [
        ...args,
        process.execPath,
        '--input-type=module',
        '-e',
        program,
        `http://${this.network.address('api', 'front')}:${apiPort}${path}`,
      ],
      { env: bareEnvironment() },
    )
    return JSON.parse(stdout)
  }

  /** Stops the chain. */
  async stopNode(): Promise<void> {
    await this.#node.stop('SIGTERM')
  }

  /** Output of the processes, for a failed test. */
  output(): string {
    return this.#processes.map((one) => one.output().slice(-20_000)).join('\n\n')
  }

  async remove(): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.end('SIGKILL')))
    await this.stopNode()
    await this.pool.end()
    await Promise.all(this.#servers.map((server) => server.stop()))
    await this.network.remove()
    await rm(this.#folder, { recursive: true, force: true })
  }
}
