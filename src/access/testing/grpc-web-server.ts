import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { framePrefixLength, frameOf } from '../grpc-status.ts'
import { certificate } from './certificate.ts'
import { ScriptedCalls } from './scripted-calls.ts'

/** A gRPC-web server over HTTP/1.1 that does what ScriptedCalls says. */
export class GrpcWebTestServer {
  readonly calls = new ScriptedCalls()
  readonly port: number
  readonly #server: Server

  /** @param listener answers in place of the scripted calls, for answers that no gRPC-web server should give */
  static async start(
    options: { readonly tls?: boolean; readonly port?: number; readonly listener?: RequestListener } = {},
  ): Promise<GrpcWebTestServer> {
    const server = options.tls === true ? createTlsServer(certificate) : createServer()
    server.listen(options.port ?? 0, '127.0.0.1')
    await once(server, 'listening')
    return new GrpcWebTestServer(server, options.listener)
  }

  constructor(server: Server, listener: RequestListener | undefined) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('request', listener ?? ((request, response) => void this.#serve(request, response)))
  }

  /** Ends all connections at once. */
  kill(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const [method = '', service = ''] = (request.url ?? '').split('/').reverse()
    response.on('close', () => {
      if (!response.writableFinished) this.calls.cancelled(method)
    })
    const answer = this.calls.answer(service, method, Buffer.concat(chunks).subarray(framePrefixLength))
    if ('never' in answer) return
    response.setHeader('content-type', 'application/grpc-web+proto')
    if ('message' in answer) {
      response.write(frameOf(answer.message))
      response.end(trailerFrame('grpc-status: 0\r\n'))
      return
    }
    const reason = encodeURIComponent(answer.reason)
    response.end(trailerFrame(`grpc-status: ${answer.code}\r\ngrpc-message: ${reason}\r\n`))
  }
}

/** The last frame of a gRPC-web body. */
export function trailerFrame(text: string): Buffer {
  const frame = frameOf(Buffer.from(text))
  frame[0] = 0x80
  return frame
}
