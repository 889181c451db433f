import type { IncomingHttpHeaders } from 'node:http'
import type { ProviderProtocol, ProviderStatus, ReplyPiece, StreamingCall } from './provider-turn.ts'

export type ReadCall = Pick<StreamingCall, 'model' | 'maxTokens' | 'instructions' | 'messages' | 'tools'>

/** A body that the real provider would refuse with 400, in its words. */
export class BadRequest extends Error {}

export type WrittenPiece = Exclude<
  ReplyPiece,
  { readonly until: Promise<unknown> } | { readonly cut: true | 'clean' } | { readonly raw: string }
>

/** The texts of one reply's events, in their order. */
export interface ReplyWriter {
  begin(): string
  piece(piece: WrittenPiece): string
  end(): string
}

/** What a protocol has its own way to say. */
export interface StreamingProtocol {
  readonly name: ProviderProtocol
  /** @throws BadRequest for what the real one would not take */
  read(body: unknown): ReadCall
  /** What is wrong with the headers; undefined where nothing is. */
  refuse(headers: IncomingHttpHeaders): ProviderStatus | undefined
  error(status: ProviderStatus): unknown
  /** @param body of the call */
  writer(call: Pick<StreamingCall, 'model' | 'index' | 'body'>): ReplyWriter
}

/** Calls of tools have ids of their own, in all replies. */
export function toolCallId(prefix: string, index: number, block: number, given: string | undefined): string {
  return given ?? `${prefix}_${index}_${block}`
}

/** In two pieces, as they come from real ones. */
export function inTwo(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2)
  return [text.slice(0, half), text.slice(half)].filter((part) => part !== '')
}

export function argumentsOf(piece: Extract<ReplyPiece, { readonly tool: string }>): string {
  return 'arguments' in piece ? piece.arguments : JSON.stringify(piece.input)
}

/** Arguments of a call as they are sent back, which are a text. */
export function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // Arguments that a model got wrong may come back to it as they were: the protocol has them as text.
    return text
  }
}
