import { createServer } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { z } from 'zod'
import { ApiError, asError, FatalError } from '../../src/platform/errors.ts'
import { refuseDnsRebinding } from '../../src/platform/http/guards.ts'
import type { AccessNode } from './access-node.ts'
import { faultSchema } from '../node/faults.ts'
import { listenOn } from '../node/listen-on.ts'

const headSchema = z.union([z.strictObject({ height: z.int() }), z.strictObject({ advance: z.int().min(1) })])
const branchSchema = z.strictObject({ name: z.string(), head: z.int().exactOptional() })

export interface NodeStatus {
  readonly endpoint: string
  readonly version: string
  readonly versions: readonly string[]
  readonly head: number
  readonly sporkRootHeight: number
  readonly calls: number
  readonly faults: readonly { readonly fault: unknown; readonly hits: number }[]
}

/**
 * HTTP on 127.0.0.1 to control a node. Each response is the resulting status as JSON; refused
 * requests return 4xx with `{ "error": "…" }`.
 *
 * - `GET /status`
 * - `POST /head` `{ "height": 30 }` or `{ "advance": 1 }`
 * - `POST /branch` `{ "name": "b", "head": 12 }`; default head: the last recorded block
 * - `POST /fault` a `Fault` as JSON; `DELETE /faults` removes all
 * - `POST /drop` closes every connection
 */
export class ControlServer {
  readonly #http: Server

  private constructor(http: Server) {
    this.#http = http
  }

  /** @param port 0 for any free one @throws FatalError when the port is in use */
  static async listen(node: AccessNode, port: number): Promise<ControlServer> {
    const http = createServer((request, response) => {
      const respond = async (): Promise<void> => {
        const { code, body } = await answer(node, request)
        response.writeHead(code, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
      }
      void respond()
    })
    await listenOn(http, '127.0.0.1', port)
    return new ControlServer(http)
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve())
    })
    this.#http.closeAllConnections()
    await closed
  }
}

function statusOf(node: AccessNode): NodeStatus {
  return {
    endpoint: node.endpoint,
    version: node.version,
    versions: node.versions,
    head: node.head,
    sporkRootHeight: node.sporkRootHeight,
    calls: node.callCount(),
    faults: node.faults().map(({ fault, hits }) => ({ fault, hits })),
  }
}

async function answer(node: AccessNode, request: IncomingMessage): Promise<{ code: number; body: unknown }> {
  try {
    await act(node, request)
    return { code: 200, body: statusOf(node) }
  } catch (thrown) {
    const error = asError(thrown)
    if (thrown instanceof ApiError) return { code: thrown.status, body: { error: error.message } }
    // A height outside the chain, or a body that is not JSON.
    const isCallers = thrown instanceof FatalError || thrown instanceof SyntaxError
    return { code: isCallers ? 400 : 500, body: { error: error.message } }
  }
}

async function act(node: AccessNode, request: IncomingMessage): Promise<void> {
  refuseDnsRebinding(request, '127.0.0.1', undefined, 'or by its address')
  // Other sites can send a POST without preflight; only browsers send this header.
  if (request.headers.origin !== undefined)
    throw new ApiError(403, 'foreign-origin', 'Web pages may not control the node. Use a program such as curl.')
  const route = `${request.method} ${request.url}`
  if (route === 'GET /status') return
  if (route === 'POST /head') {
    const filter = await bodyOf(request, headSchema)
    if ('height' in filter) node.setHead(filter.height)
    else node.advance(filter.advance)
  } else if (route === 'POST /branch') {
    const { name, head } = await bodyOf(request, branchSchema)
    node.switchTo(name, head)
  } else if (route === 'POST /fault') node.inject(await bodyOf(request, faultSchema))
  else if (route === 'DELETE /faults') node.clearFaults()
  else if (route === 'POST /drop') node.dropConnections()
  else throw new ApiError(404, 'not-found', `Unknown route ${route}`)
}

async function bodyOf<Schema extends z.ZodType>(request: IncomingMessage, schema: Schema): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(await json(request))
  if (parsed.success) return parsed.data
  throw new ApiError(400, 'bad-request', z.prettifyError(parsed.error))
}
