import { framePrefixLength, maxMessageLength } from './grpc-status.ts'
import type { GrpcCode } from './grpc-status.ts'

/** Up to this length memory is allocated from the announced length; beyond it as data arrives. */
const trustedLength = 1024 * 1024

/** Shorter messages share a slab: separate allocations would cost more than they save. */
const sharedLength = 1024

export interface BodyFault {
  readonly code: GrpcCode
  readonly reason: string
}

/** Copies bytes: a received chunk is a view of a 64 KB socket buffer and would keep it alive. */
export class UnaryBody {
  /** No more data is needed once set. */
  fault: BodyFault | undefined
  #isCompressed = false
  #prefixBytes = 0
  #message: Buffer | undefined
  readonly #onLength: ((bytes: number) => void) | undefined
  #length = 0
  #received = 0

  /** @param onLength called with the message length once known and accepted */
  constructor(onLength?: (bytes: number) => void) {
    this.#onLength = onLength
  }

  add(bytes: Buffer, from = 0, to = bytes.length): void {
    let at = from
    while (this.#message === undefined) {
      if (at === to || this.fault !== undefined) return
      this.#addToPrefix(bytes[at++] as number)
    }
    if (at === to) return
    const end = this.#received + to - at
    if (end > this.#length) return this.#refuse('INTERNAL', 'the response is longer than its message')
    if (end > this.#message.length) this.#grow(end)
    bytes.copy(this.#message, this.#received, at, to)
    this.#received = end
  }

  message(): Buffer | undefined {
    return this.fault === undefined && this.#received === this.#length ? this.#message : undefined
  }

  progress(): string {
    if (this.#message === undefined)
      return this.#prefixBytes === 0 ? 'no response' : 'a response truncated in its prefix'
    return `${this.#received} of ${this.#length} bytes`
  }

  /** Compression flag, then the length in 4 bytes. */
  #addToPrefix(byte: number): void {
    if (this.#prefixBytes++ === 0) this.#isCompressed = byte !== 0
    else this.#length = this.#length * 256 + byte
    if (this.#prefixBytes === framePrefixLength) this.#begin()
  }

  #begin(): void {
    if (this.#isCompressed) return this.#refuse('INTERNAL', 'the response is compressed, which was not requested')
    if (this.#length > maxMessageLength) {
      const reason = `received message larger than max (${this.#length} vs ${maxMessageLength})`
      return this.#refuse('RESOURCE_EXHAUSTED', reason)
    }
    const size = Math.min(this.#length, trustedLength)
    this.#message = size < sharedLength ? Buffer.allocUnsafe(size) : Buffer.allocUnsafeSlow(size)
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
