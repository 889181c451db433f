import { parseEndpoint } from './parse-endpoint.ts'
import { GrpcWebTransport } from './grpc-web-transport.ts'
import { NativeTransport } from './native-transport.ts'
import type { Transport } from './transport.ts'

/**
 * A transport for an access node as it stands in the configuration (see `parseEndpoint`). Nothing is connected yet:
 * the first call does that.
 * @throws FatalError for an endpoint that cannot be understood
 */
export function connect(endpoint: string): Transport {
  const parsed = parseEndpoint(endpoint)
  return parsed.protocol === 'grpc' ? new NativeTransport(parsed) : new GrpcWebTransport(parsed)
}
