import { framePrefixLength, maxMessageLength } from './grpc-status.ts'
import type { GrpcCode } from './grpc-status.ts'

/** Memory is taken in advance up to here; beyond it the answer must come before room for it is made. */
const trustedLength = 1024 * 1024

/** Shorter messages share a slab with others: they are many, and memory of their own would cost more than it saves. */
const sharedLength = 1024

/** What is wrong with a body. */
export interface BodyFault {
  readonly code: GrpcCode
  readonly reason: string
}

/**
 * Puts the one message of a unary answer together. The bytes are copied out of the received chunks, because a chunk is
 * a part of a socket's 64 KB read buffer and would keep all of it alive.
 */
export class UnaryBody {
  /** Why the answer cannot be used; nothing more needs to be added then. */
  fault: BodyFault | undefined
  #isCompressed = false
  #prefixBytes = 0
  #message: Buffer | undefined
  readonly #onLength: ((bytes: number) => void) | undefined
  #length = 0
  #received = 0

  /** @param onLength called with the length of the message when it is known and accepted */
  constructor(onLength?: (bytes: number) => void) {
    this.#onLength = onLength
  }

  /** Takes `bytes[from..to)`, of which nothing is kept. */
  add(bytes: Buffer, from = 0, to = bytes.length): void {
    let at = from
    while (this.#message === undefined) {
      if (at === to || this.fault !== undefined) return
      this.#addToPrefix(bytes[at++] as number)
    }
    if (at === to) return
    const end = this.#received + to - at
    if (end > this.#length) return this.#refuse('INTERNAL', 'the answer is longer than its one message')
    if (end > this.#message.length) this.#grow(end)
    bytes.copy(this.#message, this.#received, at, to)
    this.#received = end
  }

  /** The message, or undefined while it is not complete. */
  message(): Buffer | undefined {
    return this.fault === undefined && this.#received === this.#length ? this.#message : undefined
  }

  /** How far it got, for messages to people. */
  progress(): string {
    if (this.#message === undefined) return this.#prefixBytes === 0 ? 'no answer' : 'an answer cut in its prefix'
    return `${this.#received} of ${this.#length} bytes`
  }

  /** A byte that tells whether the message is compressed, then its length in 4 bytes. */
  #addToPrefix(byte: number): void {
    if (this.#prefixBytes++ === 0) this.#isCompressed = byte !== 0
    else this.#length = this.#length * 256 + byte
    if (this.#prefixBytes === framePrefixLength) this.#begin()
  }

  #begin(): void {
    if (this.#isCompressed) return this.#refuse('INTERNAL', 'the answer is compressed, which was not asked for')
    if (this.#length > maxMessageLength) {
      const reason = `received message larger than max (${this.#length} vs ${maxMessageLength})`
      return this.#refuse('RESOURCE_EXHAUSTED', reason)
    }
    const room = Math.min(this.#length, trustedLength)
    this.#message = room < sharedLength ? Buffer.allocUnsafe(room) : Buffer.allocUnsafeSlow(room)
    this.#onLength?.(this.#length)
  }

  #grow(needed: number): void {
    const before = this.#message as Buffer
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#length, Math.max(needed, before.length * 2)))
    before.copy(grown, 0, 0, this.#received)
    this.#message = grown
  }

  #refuse(code: GrpcCode, reason: string): void {
    this.fault = { code, reason }
  }
}
