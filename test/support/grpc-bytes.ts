import { Client, credentials, Metadata } from '@grpc/grpc-js'
import type { ClientReadableStream, ServiceError } from '@grpc/grpc-js'

export type Service = 'flow.access.AccessAPI' | 'access.AccessAPI'

const asIs = (bytes: Buffer): Buffer => bytes

/** A gRPC client for encoded messages, for tests that compare a node's responses byte by byte. */
export class BytesClient {
  readonly #client: Client

  /** @param endpoint `host:port`, plaintext */
  constructor(endpoint: string) {
    this.#client = new Client(endpoint, credentials.createInsecure(), {
      'grpc.max_receive_message_length': -1,
      'grpc.enable_retries': 0,
      'grpc.initial_reconnect_backoff_ms': 20,
      'grpc.max_reconnect_backoff_ms': 100,
    })
  }

  /** One call. @throws ServiceError for every status except OK */
  call(
    method: string,
    request: Buffer = Buffer.alloc(0),
    options: { service?: Service; timeoutMs?: number } = {},
  ): Promise<Buffer> {
    const { service = 'flow.access.AccessAPI', timeoutMs = 10_000 } = options
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        `/${service}/${method}`,
        asIs,
        asIs,
        request,
        new Metadata({ waitForReady: true }),
        { deadline: Date.now() + timeoutMs },
        (error: ServiceError | null, answer?: Buffer) => {
          if (error === null && answer !== undefined) resolve(answer)
          else reject(error ?? new Error('neither an answer nor an error'))
        },
      )
    })
  }

  /** The error of a call that must fail. */
  async failureOf(...call: Parameters<BytesClient['call']>): Promise<{ code: number; details: string }> {
    try {
      await this.call(...call)
    } catch (thrown) {
      return { code: (thrown as ServiceError).code, details: (thrown as ServiceError).details }
    }
    throw new Error(`${call[0]} was answered, although it should have failed`)
  }

  /** A subscription. The caller cancels it. */
  stream(method: string, request: Buffer = Buffer.alloc(0)): ClientReadableStream<Buffer> {
    return this.#client.makeServerStreamRequest(`/flow.access.AccessAPI/${method}`, asIs, asIs, request)
  }

  close(): void {
    this.#client.close()
  }

  [Symbol.dispose](): void {
    this.close()
  }
}
