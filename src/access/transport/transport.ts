/** Of current nodes, and of the candidate sporks. */
export type ServiceName = 'flow.access.AccessAPI' | 'access.AccessAPI'

export interface CallOptions {
  /** Timeout; the error is DEADLINE_EXCEEDED. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Default `flow.access.AccessAPI`. */
  readonly service?: ServiceName
  /**
   * Called with the response length in bytes before the body arrives; not called by transports that learn it only
   * with the response.
   */
  readonly onAnswerLength?: ((bytes: number) => void) | undefined
}

export interface Transport {
  /** As configured. */
  readonly endpoint: string
  /**
   * One unary call.
   * @param method bare method name, e.g. `GetBlockByHeight`
   * @param request encoded message
   * @returns the encoded response
   * @throws GrpcError for every status but OK and for connection errors
   */
  unary(method: string, request: Uint8Array, options: CallOptions): Promise<Buffer>
  /** A server stream; undefined if the transport does not support streams. */
  serverStream?(
    method: string,
    request: Uint8Array,
    options: Pick<CallOptions, 'signal' | 'service'>,
  ): AsyncIterable<Buffer>
  close(): Promise<void>
}
