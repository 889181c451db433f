import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { cpuSeconds, peakMemoryMiB } from '../process-usage.ts'

/** Blocks to be told, or bytes to be written to each client past the feed. */
export interface Order {
  readonly number: number
  readonly from: number
  /** Not among them. */
  readonly to: number
  readonly bareBytes?: number
}

/** An order is done. */
export interface Answer {
  readonly number: number
  /** How long that took. */
  readonly ms: number
  /** The longest time for which the event loop stood still since the answer before. */
  readonly stillMs: number
  /** All that was ever written to the clients that are there. */
  readonly bytesWritten: number
}

/** The process in which the feed runs. */
export class FeedProcess {
  readonly port: number
  readonly #child: ChildProcess
  readonly #waiting = new Map<number, (answer: Answer) => void>()
  #orders = 0

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
    child.on('message', (answer: Answer) => {
      this.#waiting.get(answer.number)?.(answer)
      this.#waiting.delete(answer.number)
    })
  }

  static async start(transactionsPerBlock: number, accounts: number): Promise<FeedProcess> {
    const child = fork(join(import.meta.dirname, 'server.ts'), [String(transactionsPerBlock), String(accounts)])
    const [{ port }] = (await once(child, 'message')) as [{ port: number }]
    return new FeedProcess(child, port)
  }

  /** Processor time so far, in seconds. */
  get cpuSeconds(): number {
    return cpuSeconds(this.#child.pid ?? 0)
  }

  get peakMemoryMiB(): number {
    return peakMemoryMiB(this.#child.pid ?? 0)
  }

  /** Resolves when all clients were told of blocks, and of whatever was announced since. */
  tell(from: number, to: number): Promise<Answer> {
    return this.#order({ from, to })
  }

  /** Resolves when as many bytes were written to each client. */
  writeBare(bareBytes: number): Promise<Answer> {
    return this.#order({ from: 0, to: 0, bareBytes })
  }

  async end(): Promise<void> {
    this.#child.kill('SIGKILL')
    await once(this.#child, 'exit')
  }

  #order(order: Omit<Order, 'number'>): Promise<Answer> {
    const number = this.#orders++
    return new Promise((resolve) => {
      this.#waiting.set(number, resolve)
      this.#child.send({ ...order, number } satisfies Order)
    })
  }
}
