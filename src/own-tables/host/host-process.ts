import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Socket } from 'node:net'
import { asError, FatalError } from '../../platform/errors.ts'
import { lowerPriorityOf } from '../../platform/thread-limits.ts'
import { frameOf, headerBytes } from './frames.ts'
import type { HostErrorReply, HostReply, HostRequest } from './frames.ts'
import { maxErrorLength, maxFrameBytes } from './limits.ts'
import type { HostLimits } from './limits.ts'

const pageBytes = 4096
const mebibyte = 1024 * 1024

/** The process ends endless loops itself; this is for others, ms. */
const graceMs = 2000

/** Node prints an error when it ends. More is foreign output, and blocks the process. */
const maxStderrPieces = 20

/** Why a process did not complete its request. */
export class HostFailure extends FatalError {
  readonly reply: HostErrorReply | undefined

  constructor(code: string, message: string, reply?: HostErrorReply) {
    super(code, message)
    this.reply = reply
  }
}

interface Pending {
  readonly onReply: (reply: HostReply) => void
  readonly resolve: () => void
  readonly reject: (error: Error) => void
  readonly timeoutMs: number
  bytes: number
}

/** A process with the code of one worker. Ended by `kill` or its own failure. */
export class HostProcess {
  readonly #child: ChildProcess
  readonly #input: Socket
  readonly #limits: HostLimits
  readonly #stderr: Buffer[] = []
  #pieces: Buffer[] = []
  #pieceBytes = 0
  #pending: Pending | undefined
  #endedBy: Error | undefined

  constructor(readable: readonly string[], limits: HostLimits) {
    this.#limits = limits
    const host = join(import.meta.dirname, 'process-main.ts')
    const folders = [import.meta.dirname, join(import.meta.dirname, '../define-worker.ts'), ...readable]
    this.#child = spawn(
      process.execPath,
      [
        '--permission',
        ...folders.map((folder) => `--allow-fs-read=${folder}`),
        `--max-old-space-size=${limits.heapMib}`,
        '--disable-sigusr1',
        '--no-warnings',
        host,
      ],
      // In a session of its own: Ctrl+C stops flowfarm, which completes its work.
      { env: { TZ: 'UTC' }, cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'pipe', 'pipe'] },
    )
    const [input, , errors, output] = this.#child.stdio as unknown as [Socket, null, Socket, Socket]
    this.#input = input
    for (const stream of [input, errors, output]) stream.on('error', () => undefined).unref()
    output.on('data', (piece: Buffer) => this.#read(piece))
    errors.on('data', (piece: Buffer) => {
      if (this.#stderr.length < maxStderrPieces) this.#stderr.push(piece)
      else if (this.#child.exitCode === null) errors.pause()
    })
    this.#child.once('exit', () => errors.resume())
    this.#child.once('error', (error) => this.#end(new HostFailure('own-worker-exit', `no process: ${error.message}`)))
    this.#child.once('close', (code, signal) => this.#end(this.#exitError(code, signal)))
    this.#child.unref()
    this.#yieldToOthers()
  }

  get hasEnded(): boolean {
    return this.#endedBy !== undefined
  }

  /**
   * One at a time.
   *
   * @param onReply receives all replies but the last. An error that it throws ends the process
   *
   * @throws HostFailure; the error of `onReply` or `kill`
   */
  async request(request: HostRequest, onReply: Pending['onReply']): Promise<void> {
    if (this.#endedBy !== undefined) throw this.#endedBy
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#pending = { onReply, resolve, reject, timeoutMs: request.timeoutMs, bytes: 0 }
    const { residentBytes, checkMs } = this.#limits
    const timer = setTimeout(() => this.kill(timeoutError(request.timeoutMs)), request.timeoutMs + graceMs)
    const memory = setInterval(() => void this.#checkMemory(residentBytes), checkMs)
    try {
      this.#input.write(frameOf(request))
      await promise
    } finally {
      clearTimeout(timer)
      clearInterval(memory)
      this.#pending = undefined
    }
  }

  /** @param reason rejects the running request */
  kill(reason: Error): void {
    this.#child.kill('SIGKILL')
    this.#end(reason)
  }

  #end(reason: Error): void {
    this.#endedBy ??= reason
    this.#pending?.reject(this.#endedBy)
    this.#pending = undefined
  }

  #read(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#pieceBytes += piece.length
    while (this.#endedBy === undefined && this.#pieceBytes >= headerBytes) {
      const header = (this.#pieces[0]?.length ?? 0) < headerBytes ? this.#joined() : (this.#pieces[0] as Buffer)
      const end = headerBytes + header.readUInt32BE()
      if (end > maxFrameBytes) {
        this.kill(new HostFailure('own-worker-output', `a message of ${end} bytes (limit ${maxFrameBytes})`))
        return
      }
      if (this.#pieceBytes < end) return
      const all = this.#joined()
      this.#pieces = [all.subarray(end)]
      this.#pieceBytes -= end
      try {
        this.#take(all.subarray(headerBytes, end))
      } catch (error) {
        this.kill(asError(error))
      }
    }
  }

  #joined(): Buffer {
    const all = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces)
    this.#pieces = [all]
    return all
  }

  #take(frame: Buffer): void {
    const reply = checkedReply(frame)
    const pending = this.#pending
    if (reply === undefined || pending === undefined)
      throw new HostFailure('own-worker-output', 'its process sent an unexpected message')
    pending.bytes += frame.length
    const { outputBytes } = this.#limits
    if (pending.bytes > outputBytes)
      throw new HostFailure('own-worker-output', `it wrote more than ${outputBytes / mebibyte} MiB. Write fewer rows`)
    if (reply.kind === 'done') pending.resolve()
    else if (reply.kind === 'error') pending.reject(failureOf(reply, pending.timeoutMs))
    else pending.onReply(reply)
  }

  async #checkMemory(limit: number): Promise<void> {
    try {
      const [, pages] = (await readFile(`/proc/${this.#child.pid}/statm`, 'utf8')).split(' ')
      if (Number(pages) * pageBytes > limit) this.kill(memoryError(limit))
    } catch {
      // Not Linux, or the process has ended.
    }
  }

  #exitError(code: number | null, signal: NodeJS.Signals | null): HostFailure {
    const printed = Buffer.concat(this.#stderr).toString()
    if (/heap out of memory|allocation failed/i.test(printed)) return memoryError(this.#limits.heapMib * mebibyte)
    const reason = /^\w*Error.*$/m.exec(printed)?.[0] ?? printed.trim()
    const how = signal === null ? `exited with code ${code}` : `was ended by ${signal}`
    const details = reason === '' ? '' : `: ${reason.slice(0, maxErrorLength)}`
    return new HostFailure('own-worker-exit', `its process ${how}${details}`)
  }

  /** The system prefers other processes, and ends this one first when it is out of memory. */
  #yieldToOthers(): void {
    lowerPriorityOf(this.#child)
    const { pid } = this.#child
    if (pid === undefined) return
    writeFile(`/proc/${pid}/oom_score_adj`, '1000').catch(() => undefined)
  }
}

function timeoutError(ms: number, reply?: HostErrorReply): HostFailure {
  return new HostFailure('own-worker-timeout', `it did not finish within ${ms / 1000} s`, reply)
}

function failureOf(reply: HostErrorReply, timeoutMs: number): HostFailure {
  return reply.isTimeout ? timeoutError(timeoutMs, reply) : new HostFailure('own-worker-failed', reply.message, reply)
}

function memoryError(bytes: number): HostFailure {
  return new HostFailure('own-worker-memory', `it used more than ${bytes / mebibyte} MiB of memory`)
}

/** Rows are checked when they are written. */
function checkedReply(frame: Buffer): HostReply | undefined {
  let reply: unknown
  try {
    reply = JSON.parse(frame.toString())
  } catch {
    return undefined
  }
  if (typeof reply !== 'object' || reply === null || !('kind' in reply)) return undefined
  const { kind } = reply
  if (kind === 'done') return { kind }
  if (kind === 'rows' || kind === 'loaded') return reply as HostReply
  if (kind === 'log') return { kind, lines: linesOf((reply as { lines?: unknown }).lines) }
  if (kind !== 'error') return undefined
  const { event, isTimeout, message, stack } = reply as Record<string, unknown>
  return {
    kind,
    event: typeof event === 'number' ? event : null,
    isTimeout: isTimeout === true,
    message: textOf(message),
    stack: textOf(stack),
  }
}

function linesOf(lines: unknown): (readonly [string, string])[] {
  if (!Array.isArray(lines)) return []
  return lines.slice(0, 50).map((line) => (Array.isArray(line) ? [textOf(line[0]), textOf(line[1])] : ['warn', '']))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, maxErrorLength) : ''
}
