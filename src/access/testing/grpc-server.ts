import { Server, ServerCredentials } from '@grpc/grpc-js'
import type {
  MethodDefinition,
  ServerUnaryCall,
  ServerWritableStream,
  UntypedServiceImplementation,
  sendUnaryData,
} from '@grpc/grpc-js'
import { certificate } from './certificate.ts'
import { ScriptedCalls } from './scripted-calls.ts'

const same = (bytes: Buffer): Buffer => bytes
const services = ['flow.access.AccessAPI', 'access.AccessAPI']
const unaryMethods = ['Echo', 'Sized', 'Fail', 'Never']

/** A real gRPC server that does what ScriptedCalls says, and streams. */
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

  /** Ends all connections at once. */
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

  /** Sends numbers from 0 on; the request says how many (-1: for ever) and the status at the end. */
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
