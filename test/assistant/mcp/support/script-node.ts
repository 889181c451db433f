import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { listenLocally } from '../../../support/listen-locally.ts'

/** A decoded script request. */
export interface AskedScript {
  readonly path: string
  readonly block: Readonly<Record<string, string>>
  readonly script: string
  readonly arguments: readonly unknown[]
}

export interface ScriptNode {
  readonly url: string
  readonly requested: AskedScript[]
  stop(): Promise<void>
}

/** Encoded like a node's response. */
export function scriptResult(value: unknown): string {
  return JSON.stringify(Buffer.from(`${JSON.stringify(value)}\n`).toString('base64'))
}

/**
 * REST API of an access node, for scripts only. @param answer default: returns the first argument
 */
export async function startScriptNode(
  answer?: (response: ServerResponse, requested: AskedScript) => void,
): Promise<ScriptNode> {
  const requested: AskedScript[] = []
  const reply =
    answer ??
    ((response, script) => {
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(scriptResult(script.arguments[0] ?? { type: 'Void' }))
    })
  const server = createServer((request, response) => {
    void readScript(request).then((script) => {
      requested.push(script)
      reply(response, script)
    })
  })
  const { url, stop } = await listenLocally(server)
  return {
    url,
    requested,
    stop,
  }
}

async function readScript(request: IncomingMessage): Promise<AskedScript> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://node')
  const body = JSON.parse(await text(request)) as { script: string; arguments: string[] }
  const decoded = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')
  return {
    path: `${request.method} ${pathname}`,
    block: Object.fromEntries(searchParams),
    script: decoded(body.script),
    arguments: body.arguments.map((argument) => JSON.parse(decoded(argument)) as unknown),
  }
}
