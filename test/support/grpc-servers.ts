import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import type {
  MethodDefinition,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedServiceImplementation,
  sendUnaryData,
} from '@grpc/grpc-js'
import { createServer as createHttpServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server as HttpServer, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { framePrefixLength, frameOf } from '../../src/access/transport/grpc-status.ts'

export type ScriptedAnswer =
  | { readonly message: Buffer }
  | { readonly code: number; readonly reason: string }
  | { readonly never: true }

/** `events` emits `begin` and `cancel` with the method name. */
export class ScriptedCalls {
  readonly events = new EventEmitter<{ begin: [method: string]; cancel: [method: string] }>()
  readonly services = new Set<string>()

  answer(service: string, method: string, request: Buffer): ScriptedAnswer {
    this.services.add(service)
    this.events.emit('begin', method)
    switch (method) {
      case 'Echo':
        return { message: request }
      case 'Sized':
        return { message: pattern(Number(request.toString())) }
      case 'Fail': {
        const { code, reason } = JSON.parse(request.toString()) as { readonly code: number; readonly reason: string }
        return { code, reason }
      }
      case 'Never':
        return { never: true }
      default:
        return { code: 12, reason: `unknown method ${method}` }
    }
  }

  cancelled(method: string): void {
    this.events.emit('cancel', method)
  }
}

export function pattern(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  for (let i = 0; i < length; i++) bytes[i] = (i ^ (i >>> 8) ^ (i >>> 16)) & 0xff
  return bytes
}

const read = (name: string): Buffer => readFileSync(new URL(`./fixtures/${name}`, import.meta.url))

/** Self-signed for localhost and 127.0.0.1, valid until 2126; for tests only. */
export const certificate = { cert: read('localhost-cert.pem'), key: read('localhost-key.pem') }

const same = (bytes: Buffer): Buffer => bytes
const services = ['flow.access.AccessAPI', 'access.AccessAPI']
const unaryMethods = ['Echo', 'Sized', 'Fail', 'Never']

export class GrpcTestServer {
  readonly calls = new ScriptedCalls()
  readonly port: number
  readonly #server: Server

  static async start(options: { readonly tls?: boolean; readonly port?: number } = {}): Promise<GrpcTestServer> {
    const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.max_send_message_length': -1 })
    const credentials =
      options.tls === true
        ? ServerCredentials.createSsl(null, [{ private_key: certificate.key, cert_chain: certificate.cert }])
        : ServerCredentials.createInsecure()
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`127.0.0.1:${options.port ?? 0}`, credentials, (error, bound) => {
        if (error === null) resolve(bound)
        else reject(error)
      })
    })
    return new GrpcTestServer(server, port)
  }

  constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
    for (const service of services) {
      const implementation: UntypedServiceImplementation = {
        Count: (call: ServerWritableStream<Buffer, Buffer>) => this.#count(call),
      }
      for (const method of unaryMethods) {
        implementation[method] = (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) =>
          this.#unary(service, method, call, done)
      }
      const unary = unaryMethods.map((method) => [method, definition(service, method, false)] as const)
      server.addService(Object.fromEntries([...unary, ['Count', definition(service, 'Count', true)]]), implementation)
    }
  }

  kill(): void {
    this.#server.forceShutdown()
  }

  #unary(service: string, method: string, call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>): void {
    call.on('cancelled', () => this.calls.cancelled(method))
    const answer = this.calls.answer(service, method, call.request)
    if ('message' in answer) done(null, answer.message)
    else if ('code' in answer) {
      done(Object.assign(new Error(answer.reason), { code: answer.code, details: answer.reason }))
    }
  }

  /** Sends numbers from 0; the request has their count (-1: endless) and the final status. */
  #count(call: ServerWritableStream<Buffer, Buffer>): void {
    call.on('cancelled', () => this.calls.cancelled('Count'))
    const { until, code } = JSON.parse(call.request.toString()) as { readonly until: number; readonly code: number }
    let next = 0
    const send = (): void => {
      while (next !== until) {
        if (call.cancelled) return
        if (!call.write(Buffer.from(String(next++)))) return void call.once('drain', send)
      }
      if (code === 0) call.end()
      else call.emit('error', { code, details: 'the count is over' })
    }
    this.calls.events.emit('begin', 'Count')
    send()
  }
}

function definition(service: string, method: string, responseStream: boolean): MethodDefinition<Buffer, Buffer> {
  return {
    path: `/${service}/${method}`,
    requestStream: false,
    responseStream,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  }
}

export class GrpcWebTestServer {
  readonly calls = new ScriptedCalls()
  readonly port: number
  readonly #server: HttpServer

  /** @param listener replaces the scripted calls, for invalid responses */
  static async start(
    options: { readonly tls?: boolean; readonly port?: number; readonly listener?: RequestListener } = {},
  ): Promise<GrpcWebTestServer> {
    const server = options.tls === true ? createTlsServer(certificate) : createHttpServer()
    server.listen(options.port ?? 0, '127.0.0.1')
    await once(server, 'listening')
    return new GrpcWebTestServer(server, options.listener)
  }

  constructor(server: HttpServer, listener: RequestListener | undefined) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('request', listener ?? ((request, response) => void this.#serve(request, response)))
  }

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

export function trailerFrame(text: string): Buffer {
  const frame = frameOf(Buffer.from(text))
  frame[0] = 0x80
  return frame
}
