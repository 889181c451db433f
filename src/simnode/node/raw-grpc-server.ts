import { createServer } from 'node:net'
import type { AddressInfo, Server as NetServer, Socket } from 'node:net'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import type { ConnectionInjector, handleServerStreamingCall, handleUnaryCall, ServiceDefinition } from '@grpc/grpc-js'
import { listenOn } from './listen-on.ts'

export type UnaryHandler = handleUnaryCall<Buffer, Buffer>
export type StreamHandler = handleServerStreamingCall<Buffer, Buffer>

/** The calls of one service by method name; messages are bytes. */
export interface RawService {
  readonly unary: Readonly<Record<string, UnaryHandler>>
  readonly streams: Readonly<Record<string, StreamHandler>>
}

/** Answers may be larger than any client should accept, so that clients can be tested. */
const maxMessageBytes = 1024 * 1024 * 1024

/**
 * A plaintext gRPC server that gives messages on as bytes and owns its sockets, so that one connection can be cut and
 * stopping is immediate. States: listening, from the moment it is made; closed, after `close`.
 */
export class RawGrpcServer {
  readonly host: string
  readonly port: number
  readonly #listener: NetServer
  readonly #grpc: Server
  /** By the peer's `address:port`, as calls name it. */
  readonly #sockets: Map<string, Socket>

  private constructor(listener: NetServer, grpc: Server, sockets: Map<string, Socket>) {
    const address = listener.address() as AddressInfo
    this.host = address.address
    this.port = address.port
    this.#listener = listener
    this.#grpc = grpc
    this.#sockets = sockets
  }

  /**
   * @param port 0 for any free one
   * @throws FatalError when the address cannot be taken
   */
  static async listen(
    host: string, port: number, services: Readonly<Record<string, RawService>>,
  ): Promise<RawGrpcServer> {
    const grpc = new Server({
      'grpc.max_receive_message_length': maxMessageBytes, 'grpc.max_send_message_length': maxMessageBytes,
    })
    for (const [name, service] of Object.entries(services)) addService(grpc, name, service)
    const injector: ConnectionInjector = grpc.createConnectionInjector(ServerCredentials.createInsecure())
    const sockets = new Map<string, Socket>()
    const listener = createServer({ noDelay: true }, (socket) => {
      const peer = `${socket.remoteAddress}:${socket.remotePort}`
      sockets.set(peer, socket)
      socket.once('close', () => sockets.delete(peer))
      injector.injectConnection(socket)
    })
    await listenOn(listener, host, port)
    return new RawGrpcServer(listener, grpc, sockets)
  }

  /** Cuts the connection of a call's peer (`call.getPeer()`). */
  dropConnection(peer: string): void {
    this.#sockets.get(peer)?.destroy()
  }

  /** Cuts every connection; clients may connect again at once. */
  dropConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy()
  }

  /** Stops listening and cuts what is connected. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#listener.close(() => resolve())
    })
    this.dropConnections()
    this.#grpc.forceShutdown()
    await closed
  }
}

const asIs = (message: Buffer): Buffer => message

function addService(server: Server, name: string, service: RawService): void {
  const method = (methodName: string, responseStream: boolean): ServiceDefinition[string] => ({
    path: `/${name}/${methodName}`,
    requestStream: false,
    responseStream,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  })
  const definition: ServiceDefinition = {
    ...Object.fromEntries(Object.keys(service.unary).map((methodName) => [methodName, method(methodName, false)])),
    ...Object.fromEntries(Object.keys(service.streams).map((methodName) => [methodName, method(methodName, true)])),
  }
  server.addService(definition, { ...service.unary, ...service.streams })
}
