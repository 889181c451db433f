import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { LanguageServerProgram } from './find-language-server.ts'
import { asError } from '../../platform/errors.ts'
import { isShallowText } from '../../platform/http/read-json.ts'
import { lowerPriorityOf } from '../../platform/thread-limits.ts'

export interface ProcessOptions {
  readonly program: LanguageServerProgram
  readonly folder: string
  /** The only variables of this process's environment that are passed on. */
  readonly environment: Readonly<Record<string, string>>
  readonly maxMessageBytes: number
  readonly onMessage: (message: unknown) => void
  /** Called once. @param isFromOutside another process sent the signal */
  readonly onEnd: (why: string, isFromOutside: boolean) => void
}

/** The kernel also sends SIGKILL at low memory. */
const signalsOfOthers: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** Wait for the exit after a broken pipe, ms: the exit code explains more. */
const untilExitMs = 500

const maxUnwrittenBytes = 1024 * 1024

const maxErrorBytes = 4000

const pageBytes = 4096

/** Runs in its own process group, with a minimal environment. */
export class LanguageServerProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #options: ProcessOptions
  readonly #exited: Promise<unknown>
  #hasEnded = false
  #lastError = ''
  #draining: Promise<void> | undefined

  constructor(options: ProcessOptions) {
    const { program, folder, environment, maxMessageBytes } = options
    this.#options = options
    this.#child = spawn(program.command, program.args, {
      cwd: folder,
      detached: true,
      stdio: 'pipe',
      env: { TMPDIR: tmpdir(), ...environment, ...program.env },
    })
    lowerPriorityOf(this.#child)
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', resolve)
      this.#child.once('error', resolve)
    })
    const reader = new FrameReader(maxMessageBytes)
    const { stdin, stdout, stderr } = this.#child
    stdout.on('data', (piece: Buffer) => this.#read(reader, piece))
    stderr.on('data', (piece: Buffer) => {
      this.#lastError = (this.#lastError + piece.toString()).slice(-maxErrorBytes)
    })
    // A process that exits breaks its pipes first; the exit event reports it.
    for (const stream of [stdin, stdout, stderr])
      stream.on(
        'error',
        (error) => void setTimeout(() => this.#end(`broken pipe: ${error.message}`), untilExitMs).unref(),
      )
    this.#child.once('error', (error) => this.#end(`could not run: ${error.message}`))
    this.#child.once('exit', (code, signal) => {
      if (signal === null) this.#end(`exited with ${code}`)
      else this.#end(`ended by ${signal}`, signalsOfOthers.has(signal))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** May quote documents. */
  get lastError(): string {
    return this.#lastError
  }

  get isFull(): boolean {
    return this.#child.stdin.writableLength > maxUnwrittenBytes
  }

  send(json: string): void {
    if (!this.#hasEnded && this.#child.stdin.writable) this.#child.stdin.write(frameOf(json))
  }

  /** Also resolves when the process has ended. */
  async drained(): Promise<void> {
    while (this.isFull && !this.#hasEnded && !this.#child.stdin.destroyed) {
      // One listener for all waiters.
      this.#draining ??= this.#untilDrained()
      await this.#draining
    }
  }

  async #untilDrained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#child.stdin.once('drain', resolve)
    await Promise.race([promise, this.#exited])
    this.#child.stdin.off('drain', resolve)
    this.#draining = undefined
  }

  async memoryBytes(): Promise<number | undefined> {
    try {
      const [, pages] = (await readFile(`/proc/${this.pid}/statm`, 'utf8')).split(' ')
      return Number(pages) * pageBytes
    } catch {
      return undefined
    }
  }

  kill(): void {
    this.#end('killed')
  }

  async stop(graceMs: number): Promise<void> {
    this.send('{"jsonrpc":"2.0","id":0,"method":"shutdown"}')
    this.send('{"jsonrpc":"2.0","method":"exit"}')
    this.#hasEnded = true
    this.#child.stdin.end()
    const timer = setTimeout(() => this.#killGroup(), graceMs)
    await this.#exited
    clearTimeout(timer)
    this.#killGroup()
  }

  async gone(): Promise<void> {
    await this.#exited
  }

  #read(reader: FrameReader, piece: Buffer): void {
    if (this.#hasEnded) return
    try {
      for (const bytes of reader.read(piece)) {
        if (!isShallowText(bytes)) throw new Error('message nested too deeply')
        this.#options.onMessage(JSON.parse(bytes.toString()))
        if (this.#hasEnded) return
      }
    } catch (error) {
      this.#end(`invalid LSP output: ${asError(error).message.slice(0, 200)}`)
    }
  }

  #end(why: string, isFromOutside = false): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#killGroup()
    this.#options.onEnd(why, isFromOutside)
  }

  #killGroup(): void {
    const { pid } = this.#child
    if (pid === undefined) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch (error) {
      // The group has ended; some systems report EPERM.
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ESRCH' && code !== 'EPERM') throw error
    }
  }
}

/** Header with `Content-Length` in bytes, empty line, JSON in UTF-8. */

const headerEnd = Buffer.from('\r\n\r\n')

const maxHeaderBytes = 1024

/** The stream cannot be resynchronized after it. */
export class BrokenFraming extends Error {}

export function frameOf(json: string): string {
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

/** Incomplete messages are joined once. */
export class FrameReader {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #held = 0
  /** Undefined while reading a header. */
  #wanted: number | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws BrokenFraming */
  read(piece: Buffer): Buffer[] {
    if (piece.length > 0) this.#pieces.push(piece)
    this.#held += piece.length
    const messages: Buffer[] = []
    for (;;) {
      if (this.#wanted === undefined && !this.#readHeader()) return messages
      if (this.#wanted === undefined || this.#held < this.#wanted) return messages
      const all = this.#joined()
      messages.push(all.subarray(0, this.#wanted))
      this.#keep(all.subarray(this.#wanted))
      this.#wanted = undefined
    }
  }

  #readHeader(): boolean {
    if (this.#held === 0) return false
    const all = this.#joined()
    const end = all.subarray(0, maxHeaderBytes).indexOf(headerEnd)
    if (end < 0) {
      if (all.length >= maxHeaderBytes) throw new BrokenFraming(`header longer than ${maxHeaderBytes} bytes`)
      this.#keep(all)
      return false
    }
    const length = /^content-length:[ \t]*(\d{1,15})[ \t]*$/im.exec(all.toString('latin1', 0, end))?.[1]
    if (length === undefined) throw new BrokenFraming('header without Content-Length')
    if (Number(length) > this.#maxBytes) throw new BrokenFraming(`message of ${length} bytes (limit ${this.#maxBytes})`)
    this.#wanted = Number(length)
    this.#keep(all.subarray(end + headerEnd.length))
    return true
  }

  #joined(): Buffer {
    const [first] = this.#pieces
    return this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces, this.#held)
  }

  #keep(rest: Buffer): void {
    this.#pieces = rest.length === 0 ? [] : [rest]
    this.#held = rest.length
  }
}
