import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderProtocol, ProviderStatus, ReplyPiece, StreamingCall } from './provider-turn.ts'

export type ReadCall = Pick<StreamingCall, 'model' | 'maxTokens' | 'instructions' | 'messages' | 'tools'>

/** A body that the real provider rejects with 400, with its message. */
export class BadRequest extends Error {}

export type WrittenPiece = Exclude<
  ReplyPiece,
  { readonly until: Promise<unknown> } | { readonly cut: true | 'clean' } | { readonly raw: string }
>

/** Event texts of a reply, in order. */
export interface ReplyWriter {
  begin(): string
  piece(piece: WrittenPiece): string
  end(): string
}

/** The protocol-specific parts. */
export interface StreamingProtocol {
  readonly name: ProviderProtocol
  /** @throws BadRequest for requests that the real provider rejects */
  read(body: unknown): ReadCall
  /** Errors in the headers; undefined if valid. */
  refuse(headers: IncomingHttpHeaders): ProviderStatus | undefined
  error(status: ProviderStatus): unknown
  /** @param body of the call */
  writer(call: Pick<StreamingCall, 'model' | 'index' | 'body'>): ReplyWriter
}

/** Tool calls have unique ids across replies. */
export function toolCallId(prefix: string, index: number, block: number, given: string | undefined): string {
  return given ?? `${prefix}_${index}_${block}`
}

/** In two chunks, as real providers send them. */
export function splitInTwo(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2)
  return [text.slice(0, half), text.slice(half)].filter((part) => part !== '')
}

export function argumentsOf(piece: Extract<ReplyPiece, { readonly tool: string }>): string {
  return 'arguments' in piece ? piece.arguments : JSON.stringify(piece.input)
}

/** Arguments of an earlier call, which are a string. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // Invalid arguments may be sent back unchanged: in the protocol they are a string.
    return text
  }
}
