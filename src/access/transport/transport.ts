/** Service of current nodes, and of the candidate sporks. */
export type ServiceName = 'flow.access.AccessAPI' | 'access.AccessAPI'

export interface CallOptions {
  /** The error is DEADLINE_EXCEEDED. */
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Default `flow.access.AccessAPI`. */
  readonly service?: ServiceName
  /**
   * Called before the body arrives; not called by transports that learn the length only with the
   * response.
   */
  readonly onAnswerLength?: ((bytes: number) => void) | undefined
}

export interface Transport {
  readonly endpoint: string
  /**
   * @param method bare method name, e.g. `GetBlockByHeight`
   * @throws GrpcError for every status but OK and for connection errors
   */
  unary(method: string, request: Uint8Array, options: CallOptions): Promise<Buffer>
  /** Undefined if the transport does not support streams. */
  serverStream?(
    method: string,
    request: Uint8Array,
    options: Pick<CallOptions, 'signal' | 'service'>,
  ): AsyncIterable<Buffer>
  close(): Promise<void>
}
