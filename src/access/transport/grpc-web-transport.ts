import { ClientRequest, request as requestHttp } from 'node:http'
import type { Agent } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createRequire } from 'node:module'
import type { grpc } from '@improbable-eng/grpc-web'
import { proxyFor } from '../../platform/outbound/config-proxy.ts'
import { authorityOf } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { GrpcError, codeOfHttpStatus, codeOfStatus, maxMessageLength, timeoutHeader } from './grpc-status.ts'
import type { GrpcCode } from './grpc-status.ts'
import { tunnelAgent } from './proxy-tunnel.ts'
import type { CallOptions, Transport } from './transport.ts'

import type * as GrpcWeb from '@improbable-eng/grpc-web'
import type * as NodeHttp from '@improbable-eng/grpc-web-node-http-transport'

/**
 * Unary gRPC-web calls over HTTP/1.1, through the client of @onflow/transport-grpc, whose
 * high-level calls cannot fetch whole blocks and decode every event. No streams.
 */
export class GrpcWebTransport implements Transport {
  readonly endpoint: string
  readonly #url: string
  readonly #agent: Agent | undefined
  #closed = false

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint.text
    this.#url = `${endpoint.tls ? 'https' : 'http'}://${authorityOf(endpoint)}${endpoint.pathPrefix}`
    const proxy = proxyFor(endpoint)
    this.#agent = proxy === undefined ? undefined : tunnelAgent(proxy, endpoint)
  }

  unary(method: string, request: Uint8Array, options: CallOptions): Promise<Buffer> {
    const { signal, timeoutMs } = options
    const call = { method, endpoint: this.endpoint }
    if (this.#closed) return Promise.reject(new GrpcError('UNAVAILABLE', 'the transport is closed', call))
    if (signal?.aborted === true) {
      return Promise.reject(new GrpcError('CANCELLED', 'aborted', { ...call, cause: signal.reason }))
    }
    client ??= loadClient()
    const { grpcWeb, nodeHttp } = client
    return new Promise((resolve, reject) => {
      let settled = false
      const settle = (): boolean => {
        if (settled) return false
        settled = true
        clearTimeout(deadline)
        signal?.removeEventListener('abort', abort)
        return true
      }
      const fail = (code: GrpcCode, reason: string, cause?: unknown): void => {
        if (settle()) reject(new GrpcError(code, reason, cause === undefined ? call : { ...call, cause }))
      }
      const giveUp = (code: GrpcCode, reason: string, cause?: unknown): void => {
        if (!settled) running.close()
        fail(code, reason, cause)
      }
      const deadline = setTimeout(
        () => giveUp('DEADLINE_EXCEEDED', `no complete response within ${timeoutMs} ms`),
        timeoutMs,
      )
      const abort = (): void => giveUp('CANCELLED', 'aborted', signal?.reason)
      signal?.addEventListener('abort', abort)
      const running = grpcWeb.unary<RawMessage, RawMessage, RawMethod>(methodOf(method, options), {
        host: this.#url,
        request: new RawMessage(request),
        metadata: { 'grpc-timeout': timeoutHeader(timeoutMs) },
        transport: collecting(this.#agent === undefined ? nodeHttp : throughAgent(grpcWeb, this.#agent), fail),
        onEnd: ({ status, statusMessage, message }) => {
          if (status !== grpcWeb.Code.OK) fail(codeOfStatus(status), statusMessage)
          else if (message === null) fail('INTERNAL', 'status OK without a response')
          else if (settle()) resolve(message.bytes)
        },
      })
    })
  }

  /** Running calls finish or reach their deadline; idle sockets of the global agent stay open. */
  close(): Promise<void> {
    this.#closed = true
    if (this.#agent !== undefined) closeIdle(this.#agent)
    return Promise.resolve()
  }
}

interface Client {
  readonly grpcWeb: typeof grpc
  readonly nodeHttp: grpc.TransportFactory
}

let client: Client | undefined

/** Loaded on the first call; the entry point of the package prints a deprecation. */
function loadClient(): Client {
  const require = createRequire(import.meta.resolve('@onflow/transport-grpc'))
  const web = require('@improbable-eng/grpc-web') as typeof GrpcWeb
  const http = require('@improbable-eng/grpc-web-node-http-transport') as typeof NodeHttp
  return { grpcWeb: web.grpc, nodeHttp: http.NodeHttpTransport() }
}

class RawMessage {
  readonly bytes: Buffer

  constructor(bytes: Uint8Array = new Uint8Array(0)) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  static deserializeBinary(bytes: Uint8Array): RawMessage {
    return new RawMessage(bytes)
  }

  serializeBinary(): Uint8Array {
    return this.bytes
  }

  toObject(): object {
    return {}
  }
}

type RawMethod = grpc.UnaryMethodDefinition<RawMessage, RawMessage>

function methodOf(method: string, options: CallOptions): RawMethod {
  return {
    methodName: method,
    service: { serviceName: options.service ?? 'flow.access.AccessAPI' },
    requestStream: false,
    responseStream: false,
    requestType: RawMessage,
    responseType: RawMessage,
  }
}

function throughAgent(grpcWeb: typeof grpc, agent: Agent): grpc.TransportFactory {
  return ({ url, onHeaders, onChunk, onEnd }) => {
    let request: ClientRequest | undefined
    return {
      get request(): ClientRequest | undefined {
        return request
      },
      start: (metadata) => {
        const headers: Record<string, string> = {}
        metadata.forEach((name, values) => (headers[name] = values.join(', ')))
        const send = url.startsWith('https:') ? requestHttps : requestHttp
        request = send(url, { method: 'POST', headers, agent })
        request.on('error', onEnd)
        request.on('response', (response) => {
          const known = Object.entries(response.headers).filter(([, value]) => value !== undefined)
          onHeaders(new grpcWeb.Metadata(Object.fromEntries(known) as Record<string, string>), response.statusCode ?? 0)
          response.on('data', onChunk)
          response.on('end', () => onEnd())
        })
      },
      sendMessage: (message) => request?.end(message),
      finishSend: () => undefined,
      cancel: () => request?.destroy(),
    }
  }
}

function closeIdle(agent: Agent): void {
  agent.maxFreeSockets = 0
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

/**
 * Passes the body on as a whole (the client copies everything with every chunk), keeps HTTP errors
 * (the client treats a proxy's 404 as a missing block), and reports connection errors at once
 * (otherwise a truncated body waits for the deadline).
 */
function collecting(
  nodeHttp: grpc.TransportFactory,
  fail: (code: GrpcCode, reason: string, cause?: unknown) => void,
): grpc.TransportFactory {
  return (options) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const inner = nodeHttp({
      ...options,
      onHeaders: (headers, status) => {
        const type = headers.get('content-type')[0] ?? ''
        if (headers.has('grpc-status')) options.onHeaders(headers, status)
        else if (status !== 200) fail(codeOfHttpStatus(status), `HTTP status ${status}`)
        else if (type.startsWith('application/grpc-web')) options.onHeaders(headers, status)
        else fail('UNKNOWN', `content-type ${JSON.stringify(type)} is not gRPC-web`)
      },
      onChunk: (chunk) => {
        length += chunk.length
        if (length <= maxMessageLength) chunks.push(chunk)
        else fail('RESOURCE_EXHAUSTED', `received message larger than max (${length} vs ${maxMessageLength})`)
      },
      onEnd: (error) => {
        if (error !== undefined) return fail('UNAVAILABLE', `connection failed: ${error.message}`, error)
        if (length > 0 && ((chunks[0]?.[0] ?? 0) & 1) === 1) {
          return fail('INTERNAL', 'the response is compressed, which was not requested')
        }
        if (length > 0) options.onChunk(Buffer.concat(chunks, length))
        options.onEnd()
      },
    })
    return {
      start: (metadata) => {
        inner.start(metadata)
        const request = 'request' in inner ? inner.request : undefined
        if (!(request instanceof ClientRequest)) return
        request.once('response', (response) => {
          response.once('error', (error) => fail('UNAVAILABLE', `connection lost: ${error.message}`, error))
        })
      },
      sendMessage: (message) => inner.sendMessage(message),
      finishSend: () => inner.finishSend(),
      cancel: () => inner.cancel(),
    }
  }
}
