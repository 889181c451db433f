import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { LanguageServerProgram } from './find-language-server.ts'
import { asError } from '../../platform/errors.ts'
import { isShallowText } from '../../platform/http/read-json.ts'

export interface ProcessOptions {
  readonly program: LanguageServerProgram
  /** Working directory. */
  readonly folder: string
  /** PATH and HOME of this process, which the program is given; nothing else of its environment is. */
  readonly environment: Readonly<Record<string, string>>
  readonly maxMessageBytes: number
  readonly onMessage: (message: unknown) => void
  /**
   * Told once, when the process is gone or its output makes no sense; then nothing more is heard of it.
   * @param isFromOutside somebody else has ended it, by a signal
   */
  readonly onEnd: (why: string, isFromOutside: boolean) => void
}

/** Signals sent by others. The kernel also sends SIGKILL when memory runs out. */
const signalsOfOthers: ReadonlySet<string> = new Set(['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP'])

/** How long after a pipe broke the end of the process is waited for, which says more, ms. */
const untilExitMs = 500

/** What may wait in this process for a server that does not read, in bytes; with more whoever writes waits. */
const maxUnwrittenBytes = 1024 * 1024

/** Bytes of its standard error that are kept for the log. */
const keptErrorBytes = 4000

const pageBytes = 4096

/**
 * A language server in a process group of its own, with a minimal environment.
 *
 *     running ──exit, broken output, kill()──► ended
 */
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
    this.#exited = new Promise((resolve) => {
      this.#child.once('close', resolve)
      this.#child.once('error', resolve)
    })
    const reader = new FrameReader(maxMessageBytes)
    const { stdin, stdout, stderr } = this.#child
    stdout.on('data', (piece: Buffer) => this.#read(reader, piece))
    stderr.on('data', (piece: Buffer) => {
      this.#lastError = (this.#lastError + piece.toString()).slice(-keptErrorBytes)
    })
    // A process that has gone away breaks its pipes first; that it is gone is told by its end.
    for (const stream of [stdin, stdout, stderr])
      stream.on(
        'error',
        (error) => void setTimeout(() => this.#end(`its pipe broke: ${error.message}`), untilExitMs).unref(),
      )
    this.#child.once('error', (error) => this.#end(`it could not be run: ${error.message}`))
    this.#child.once('exit', (code, signal) => {
      if (signal === null) this.#end(`it exited with ${code}`)
      else this.#end(`it was ended by ${signal}`, signalsOfOthers.has(signal))
    })
  }

  /** Undefined where it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The end of what it wrote to its standard error. It may quote documents. */
  get lastError(): string {
    return this.#lastError
  }

  /** Whether enough waits to be written that more should wait outside. */
  get isFull(): boolean {
    return this.#child.stdin.writableLength > maxUnwrittenBytes
  }

  send(json: string): void {
    if (!this.#hasEnded && this.#child.stdin.writable) this.#child.stdin.write(frameOf(json))
  }

  /** Resolves when the process has read what waited, or has ended. */
  async drained(): Promise<void> {
    while (this.isFull && !this.#hasEnded && !this.#child.stdin.destroyed) {
      // One listener for all who wait.
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

  /** Resident memory, in bytes; undefined where the system does not tell. */
  async memoryBytes(): Promise<number | undefined> {
    try {
      const [, pages] = (await readFile(`/proc/${this.pid}/statm`, 'utf8')).split(' ')
      return Number(pages) * pageBytes
    } catch {
      return undefined // no Linux, or just gone
    }
  }

  /** Ends it and all that it has started, at once. */
  kill(): void {
    this.#end('it was killed')
  }

  /** Asks it to end as LSP says, and ends it after `graceMs`. */
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

  /** Resolves when the process is gone. */
  async gone(): Promise<void> {
    await this.#exited
  }

  #read(reader: FrameReader, piece: Buffer): void {
    if (this.#hasEnded) return
    try {
      for (const bytes of reader.read(piece)) {
        if (!isShallowText(bytes)) throw new Error('a message is nested too deep')
        this.#options.onMessage(JSON.parse(bytes.toString()))
        if (this.#hasEnded) return
      }
    } catch (error) {
      this.#end(`its output is not LSP: ${asError(error).message.slice(0, 200)}`)
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
      // Nobody of the group is there any more; some systems say so by EPERM.
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ESRCH' && code !== 'EPERM') throw error
    }
  }
}

/** Frames: a header with `Content-Length` in bytes, an empty line, JSON in UTF-8. */

const headerEnd = Buffer.from('\r\n\r\n')

/** A header has one or two short lines. */
const maxHeaderBytes = 1024

/** Output that is not what the protocol says; what comes after it cannot be told apart any more. */
export class BrokenFraming extends Error {}

/** A message with its header. */
export function frameOf(json: string): string {
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

/**
 * Splits a byte stream into messages, of at most `maxBytes`. Incomplete messages are kept in pieces and joined once.
 */
export class FrameReader {
  readonly #maxBytes: number
  #pieces: Buffer[] = []
  #held = 0
  /** Bytes of the message whose header was read; undefined while a header is awaited. */
  #wanted: number | undefined

  /** @param maxBytes of one message */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Gives the messages that are whole now, as bytes of JSON. @throws BrokenFraming */
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

  /** Whether a header was read. */
  #readHeader(): boolean {
    if (this.#held === 0) return false
    const all = this.#joined()
    const end = all.subarray(0, maxHeaderBytes).indexOf(headerEnd)
    if (end < 0) {
      if (all.length >= maxHeaderBytes) throw new BrokenFraming(`no end of the header within ${maxHeaderBytes} bytes`)
      this.#keep(all)
      return false
    }
    const length = /^content-length:[ \t]*(\d{1,15})[ \t]*$/im.exec(all.toString('latin1', 0, end))?.[1]
    if (length === undefined) throw new BrokenFraming('a header without Content-Length')
    if (Number(length) > this.#maxBytes)
      throw new BrokenFraming(`a message of ${length} bytes; at most ${this.#maxBytes} are taken`)
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
