import type { IncomingMessage, ServerResponse } from 'node:http'
import { allowedOriginOf } from './origin-rules.ts'
import type { OriginRules } from './origin-rules.ts'

/** Lets pages of allowed origins read the answers, and answers what browsers ask before. @returns whether that was all */
export function crossOrigin(request: IncomingMessage, response: ServerResponse, rules: OriginRules): boolean {
  const origin = allowedOriginOf(request.headers, rules)
  response.setHeader('Vary', 'Origin')
  if (origin !== undefined) {
    response.setHeader('Access-Control-Allow-Origin', origin)
    response.setHeader(
      'Access-Control-Expose-Headers',
      'Mcp-Session-Id, MCP-Protocol-Version, Retry-After, WWW-Authenticate, X-Request-Id',
    )
  }
  if (request.method !== 'OPTIONS') return false
  if (origin !== undefined) {
    response.setHeader('Access-Control-Allow-Methods', 'POST, OPTIONS')
    // Which headers a client sends depends on the revision of the protocol that it speaks.
    response.setHeader('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? '*')
    response.setHeader('Access-Control-Max-Age', '600')
  }
  response.writeHead(204).end()
  return true
}
