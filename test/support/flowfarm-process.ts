import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { bareEnvironment } from './bare-environment.ts'
import { enrichmentOff } from './enrichment-off.ts'

const program = join(import.meta.dirname, '../../src/main.ts')

/** Several programs of all services run at the same time. */
const freePorts = {
  ASK_PORT: '0',
  MCP_PORT: '0',
  CHAT_PORT: '0',
  TOOLS_PORT: '0',
  WALLET_PORT: '0',
  HTTP_PORT: '0',
  LSP_PORT: '0',
}

/** One line of the log, as JSON. */
export interface LogLine {
  level: string
  msg: string
  [key: string]: unknown
}

/** The program in a child process that tests can kill, stop and watch. */
export class FlowfarmProcess {
  readonly child: ChildProcess
  readonly log: LogLine[] = []
  /** Output other than JSON: messages from before the logger starts. */
  readonly otherOutput: string[] = []
  readonly #waiting = new Set<() => void>()

  /**
   * @param before a command prefix, such as one that runs the program elsewhere; it must exec the
   * program
   */
  constructor(services: readonly string[], variables: Record<string, string>, before: readonly string[] = []) {
    const env = {
      ...bareEnvironment(),
      LOG_FORMAT: 'json',
      HISTORY_DERIVERS_BATCH_MS: '0',
      ...('CHAIN_ACCESS_NODE' in variables ? {} : enrichmentOff),
      ...(services.length === 0 ? freePorts : {}),
      ...variables,
    }
    const [command = process.execPath, ...args] = [...before, process.execPath, program, ...services]
    this.child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream === null) continue
      createInterface({ input: stream }).on('line', (line) => this.#accept(line))
    }
  }

  get pid(): number {
    return this.child.pid as number
  }

  /**
   * Resolves with the first log line whose message matches, or a later one. Rejects if the process exits before.
   */
  async logged(message: RegExp, index = 0): Promise<LogLine> {
    let ended: Promise<unknown> | undefined
    for (;;) {
      const found = this.log.filter((line) => message.test(line.msg))[index]
      if (found !== undefined) return found
      const end = this.child.signalCode ?? this.child.exitCode
      if (end !== null) throw new Error(`ended with ${end} before it logged ${String(message)}:\n${this.output()}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      // One listener serves all awaited lines.
      ended ??= this.ended()
      await Promise.race([promise, ended])
      this.#waiting.delete(resolve)
    }
  }

  /** Sends a signal and resolves with the exit code, or the name of the signal that ended it. */
  async end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
    this.child.kill(signal)
    return this.ended()
  }

  async ended(): Promise<number | NodeJS.Signals> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit')
    return this.child.signalCode ?? (this.child.exitCode as number)
  }

  /** All of its output, for the message of a failed test. */
  output(): string {
    return [...this.otherOutput, ...this.log.map((line) => JSON.stringify(line))].join('\n')
  }

  #accept(line: string): void {
    try {
      this.log.push(JSON.parse(line) as LogLine)
    } catch {
      this.otherOutput.push(line)
    }
    for (const wake of this.#waiting) wake()
  }
}
