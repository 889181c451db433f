/** The service that modern nodes serve, and the one that the candidate sporks know. */
export type ServiceName = 'flow.access.AccessAPI' | 'access.AccessAPI'

export interface CallOptions {
  /** Milliseconds until the call is given up with DEADLINE_EXCEEDED. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Default `flow.access.AccessAPI`. */
  readonly service?: ServiceName
  /**
   * Called with the length of the answer, in bytes, as soon as it is known: before its bytes have come. A transport
   * that learns the length only with the answer does not call it.
   */
  readonly onAnswerLength?: ((bytes: number) => void) | undefined
}

export interface Transport {
  /** Shown to people: the endpoint as configured. */
  readonly endpoint: string
  /**
   * One unary call.
   * @param method the bare method name, e.g. `GetBlockByHeight`
   * @param request the encoded request message
   * @returns the encoded response message
   * @throws GrpcError for every answer but OK, and for everything that went wrong on the way
   */
  unary(method: string, request: Uint8Array, options: CallOptions): Promise<Buffer>
  /** A server stream, message by message; ends when the server ends it; absent where the transport has none. */
  serverStream?(
    method: string,
    request: Uint8Array,
    options: Pick<CallOptions, 'signal' | 'service'>,
  ): AsyncIterable<Buffer>
  close(): Promise<void>
}
