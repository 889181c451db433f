import { FatalError } from '../../platform/errors.ts'

export interface Endpoint {
  readonly text: string
  readonly protocol: 'grpc' | 'grpc-web'
  readonly tls: boolean
  /** IPv6 addresses without brackets. */
  readonly host: string
  readonly port: number
  /** gRPC-web only: path before the service name, without a trailing slash. */
  readonly pathPrefix: string
}

/** gRPC without TLS. */
const defaultGrpcPort = 9000

const accepted =
  'host, host:port or grpc://host:port (gRPC without TLS, port 9000 by default), grpcs://host:port (gRPC with TLS), ' +
  'http://host:port or https://host:port (gRPC-web)'

const schemes: Readonly<Record<string, Pick<Endpoint, 'protocol' | 'tls'> & { readonly port: number }>> = {
  'grpc:': { protocol: 'grpc', tls: false, port: defaultGrpcPort },
  'grpcs:': { protocol: 'grpc', tls: true, port: defaultGrpcPort },
  'http:': { protocol: 'grpc-web', tls: false, port: 80 },
  'https:': { protocol: 'grpc-web', tls: true, port: 443 },
}

/** @throws FatalError with the value and the accepted forms */
export function parseEndpoint(text: string): Endpoint {
  const trimmed = text.trim()
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `grpc://${trimmed}`
  const refuse = (reason: string): FatalError => {
    const shown = JSON.stringify(text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1…@'))
    return new FatalError('endpoint-invalid', `access node ${shown}: ${reason}. Use ${accepted}.`)
  }

  const url = URL.parse(address)
  if (url === null) throw refuse('not an address')
  const scheme = schemes[url.protocol]
  if (scheme === undefined) throw refuse(`unknown scheme ${url.protocol}//`)
  if (url.hostname === '') throw refuse('no host')
  if (url.username !== '' || url.password !== '') throw refuse('a user name or password is not supported')
  if (url.search !== '' || url.hash !== '') throw refuse('query and fragment are not supported')
  const pathPrefix = url.pathname.replace(/\/+$/, '')
  if (scheme.protocol === 'grpc' && pathPrefix !== '') throw refuse('gRPC does not support a path')
  const port = url.port === '' ? scheme.port : Number(url.port)
  if (port === 0) throw refuse('port 0')
  return {
    text: trimmed,
    protocol: scheme.protocol,
    tls: scheme.tls,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port,
    pathPrefix,
  }
}

export function authorityOf(endpoint: Pick<Endpoint, 'host' | 'port'>): string {
  return `${endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host}:${endpoint.port}`
}
