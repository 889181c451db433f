import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, watch } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { alertExample } from '../src/assistant/chat/service.ts'
import { secretOf, standardSignature } from '../src/webhooks/signature.ts'
import { bareEnvironment } from './support/bare-environment.ts'
import { FeedClient } from './support/feed-client.ts'
import { readRepositoryFile } from './support/repository.ts'

const script = join(import.meta.dirname, '../scripts/demo.ts')

/** Warnings caused by a slow machine, when node, queue or database respond late. */
const lateness =
  /Access node suspended|Queue error|job failed|the queue store|timed? ?out|not answer|EPIPE|ECONNRESET|terminated|reconnecting|retrying|connecting again|trying again|Could not read|not respond/

/** A list response of the API. */
interface Listed {
  readonly data?: readonly Readonly<Record<string, unknown>>[]
}

/** A demo in a separate process, with only the given environment variables. */
class Demo {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly #waiting = new Set<() => void>()
  readonly #exited: Promise<unknown>
  output = ''
  errors = ''

  constructor(variables: Record<string, string>, args: readonly string[]) {
    this.child = spawn(process.execPath, [script, ...args], {
      env: { ...bareEnvironment(), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#exited = once(this.child, 'exit')
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.output += text
      for (const wake of this.#waiting) wake()
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text
    })
  }

  /** Resolves with the URL of the explorer. */
  async ready(): Promise<string> {
    for (;;) {
      const address = /Explorer +(http:\S+)/.exec(this.output)?.[1]
      if (address !== undefined) return address
      if (this.child.exitCode !== null || this.child.signalCode !== null)
        throw new Error(`the demo ended early:\n${this.output}${this.errors}`)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.add(resolve)
      await Promise.race([promise, this.#exited])
      this.#waiting.delete(resolve)
    }
  }

  /** @returns the exit code, or the signal that terminated it */
  async end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    if (signal !== undefined) this.child.kill(signal)
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close')
    return this.child.exitCode ?? this.child.signalCode
  }

  /** Resolves when its folder has been removed, which may be after its exit. */
  async isRemoved(): Promise<void> {
    const changes = watch(tmpdir())
    const removed = Promise.withResolvers<void>()
    const check = (): void => {
      if (this.folders().length === 0) removed.resolve()
    }
    changes.on('change', check)
    check()
    await removed.promise
    changes.close()
  }

  /** Its temporary folder, if it exists. */
  folders(): string[] {
    return readdirSync(tmpdir()).filter((name) => name.startsWith(`flowfarm-demo-${this.child.pid}-`))
  }
}

describe('demo', () => {
  const demos: Demo[] = []
  const servers: Server[] = []
  const start = (variables: Record<string, string>, args: readonly string[] = ['--blocks', '600']): Demo => {
    const demo = new Demo(variables, args)
    demos.push(demo)
    return demo
  }
  let demo: Demo
  let address: string

  before(async () => {
    demo = start({ PORT: '0' })
    address = await demo.ready()
  })

  after(async () => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
    for (const one of demos) await one.end('SIGTERM')
  })

  const endCleanly = async (one: Demo): Promise<void> => {
    expect(await one.end('SIGINT'), one.errors).to.equal(0)
    expect(one.output.slice(-2000)).to.match(/Stopping…\n[^]*  The demo has stopped\.\n$/)
    const warnings = (one.output.match(/^.*(WARN|ERROR|FATAL).*$/gm) ?? []).filter((line) => !lateness.test(line))
    expect(warnings).to.deep.equal([])
    expect(one.errors).to.equal('')
    await one.isRemoved()
  }

  it('runs beside another one, on a recording if requested, prints its URLs, and cleans up', async () => {
    const other = start({ PORT: '0', HOST: '127.0.0.1', LLM_API_KEY: 'of-somebody' }, [
      '--recording',
      join(import.meta.dirname, 'recordings/base'),
      '--still',
    ])
    const url = await other.ready()
    expect(url).to.not.equal(address)
    expect(other.output).to.include('Recorded chain: 281 real blocks')
    expect((await fetch(new URL('/flow/block', url))).status).to.equal(200)
    // An API key selects a model instead of the script.
    expect(other.output).to.include('Questions are answered by anthropic')
    const health = await fetch(new URL('/health', /Query +(http:\S+)/.exec(other.output)?.[1]))
    expect(await health.json()).to.have.nested.include({ 'model.provider': 'anthropic', 'model.is_scripted': false })
    for (const one of [demo, other]) {
      const pages = [...one.output.matchAll(/^ +(?!MCP)[A-Z][A-Za-z ]+ (http:\S+)$/gm)].map(([, url = '']) => url)
      expect(pages).to.have.length(7)
      for (const url of pages) {
        const answer = await fetch(url)
        expect(answer.status, url).to.equal(200)
        expect(await answer.text(), 'the greeting comes once the pages are built').to.not.include('Building pages')
      }
      expect(one.folders()).to.have.length(1)
    }
    await endCleanly(other)
  })

  it('sends signed webhooks to a subscriber that follows docs/webhooks.md', async () => {
    const key = /Developer key: (\S+)/.exec(demo.output)?.[1] ?? ''
    const [, path = '', body = ''] =
      /curl localhost:8080(\S+) -H "X-API-Key: \$KEY".* -d '([^']*)'/.exec(readRepositoryFile('docs/webhooks.md')) ?? []
    const requested = JSON.parse(body) as { url: string; secret: string; conditions: { addresses: string[] } }
    // In place of the documented receiver, whose port may be in use.
    const delivered = Promise.withResolvers<{ readonly headers: IncomingHttpHeaders; readonly body: string }>()
    const receiver = createServer((request, response) => {
      text(request).then((read) => {
        delivered.resolve({ headers: request.headers, body: read })
        response.writeHead(204).end()
      }, delivered.reject)
    })
    servers.push(receiver.listen(0, '127.0.0.1'))
    await once(receiver, 'listening')
    const { port } = receiver.address() as AddressInfo
    const answer = await fetch(new URL(path, address), {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...requested, url: `http://127.0.0.1:${port}/` }),
    })
    expect(answer.status).to.equal(200)
    const { headers, body: delivery } = await delivered.promise
    const message = {
      id: String(headers['webhook-id']),
      timestamp: Number(headers['webhook-timestamp']),
      body: delivery,
    }
    expect(headers['webhook-signature']).to.equal(
      standardSignature(message, [secretOf(requested.secret) ?? Buffer.of()]),
    )
    const { type, data } = JSON.parse(delivery) as { type: string; data: { from: string | null; to: string | null } }
    expect(type).to.equal('ft.transfer')
    expect([data.from, data.to]).to.include(requested.conditions.addresses[0])
  })

  it('answers an example question and an MCP call', async () => {
    expect(demo.output).to.include('only the example questions have answers')
    const chat = /Chat +(http:\S+)/.exec(demo.output)?.[1] ?? ''
    const answer = await fetch(new URL('/api/v1/ask', chat), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ question: 'How many transactions were there each day?' }),
    })
    expect(answer.status).to.equal(200)
    expect(await answer.json())
      .to.include({ error: null, model: 'scripted/example-questions' })
      .and.have.property('results')
    const mcp = /MCP server +(http:\S+)/.exec(demo.output)?.[1] ?? ''
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'run_indexer_sql', arguments: { sql: 'SELECT 6 * 7 AS answer' } },
    }
    const called = await fetch(mcp, {
      method: 'POST',
      body: JSON.stringify(call),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    })
    expect(await called.text()).to.include('"results":[{"answer":42}]')
  })

  it('shows names, pictures and prices, and backfills to the first block', async () => {
    const read = async (path: string): Promise<Listed> =>
      (await fetch(new URL(path, address))).json() as Promise<Listed>
    const feed = await FeedClient.connect(`${new URL(address).host}/ws/status`)
    const until = async (isThere: () => Promise<boolean>): Promise<void> => {
      while (!(await isThere())) await feed.count(feed.messages.length + 1)
    }
    await until(async () => (await read('/flow/block/0')).data !== undefined)
    await until(
      async () =>
        (await read('/flow/ft')).data
          ?.map(({ name }) => name)
          .toSorted()
          .join() === 'FLOW Network Token,Pebble Coin,USD Coin',
    )
    await until(async () => {
      const { data = [] } = await read('/flow/nft/A.1beecc6fef95b62e.Herons/item')
      return (
        data.length > 10 &&
        data.every(
          ({ name, thumbnail }) =>
            / Heron #\d+$/.test(String(name)) && String(thumbnail).startsWith('data:image/svg+xml'),
        )
      )
    })
    await until(async () => ((await read('/status/price/history')).data?.length ?? 0) > 20)
    await until(async () => ((await read('/insights/daily')).data?.length ?? 0) > 15)
    feed.socket.terminate()
  })

  it('answers every chat example through one port, with SQL and suitable charts', async () => {
    const chat = /Chat +(http:\S+)/.exec(demo.output)?.[1] ?? ''
    expect(await (await fetch(chat)).text()).to.include('<title>')
    const feed = await FeedClient.connect(`${new URL(address).host}/ws/status`)
    const settings = (await (await fetch(new URL('/api/chat/settings', chat))).json()) as {
      examples: readonly string[]
      sends_email: boolean
    }
    expect(settings.sends_email).to.equal(true)
    const kinds = new Set<string>()
    for (const question of settings.examples) {
      const isAlert = question === alertExample
      let kind: string | undefined
      while (kind === undefined) {
        const answer = await fetch(new URL('/api/chat', chat), {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ messages: [{ role: 'user', content: question }] }),
        })
        // Answers per minute and client are limited.
        if (answer.status === 429) await feed.count(feed.messages.length + 5)
        else {
          const reported = await answer.text()
          if (isAlert) expect(reported).to.include('"toolName":"create_alert"').and.include('"status":"unconfirmed"')
          else expect(reported, question).to.include('"toolName":"run_indexer_sql"').and.include('```sql')
          kind = isAlert ? 'alert' : /"chartType":"(\w+)"/.exec(reported)?.[1]
        }
        // The data for the chart is not derived yet.
        if (kind === undefined) await feed.count(feed.messages.length + 1)
      }
      kinds.add(kind)
    }
    // A doughnut needs six to eight slices; their number grows with the chain.
    expect([...kinds]).to.include.members(['bar', 'horizontalBar', 'line', 'pie'])
    const mcp = await fetch(new URL('/mcp', chat), { method: 'POST', body: '{}' })
    expect([
      mcp.status,
      (await fetch(new URL('/health', chat))).status,
      (await fetch(new URL('/docs', chat))).status,
    ]).to.deep.equal([401, 200, 200])
    feed.socket.terminate()
  })

  it('stops on SIGINT without warnings, and removes its folder', async () => {
    await endCleanly(demo)
  })

  it('reports which program uses each port and how to change it', async () => {
    const variables = [
      'PORT',
      'ASK_PORT',
      'MCP_PORT',
      'CHAT_PORT',
      'WALLET_PORT',
      'HTTP_PORT',
      'LSP_PORT',
      'TOOLS_PORT',
      'PROXY_PORT',
    ]
    const ports = await Promise.all(
      variables.map(async (variable) => {
        const other = createServer().listen(0, '127.0.0.1')
        servers.push(other)
        await once(other, 'listening')
        return [variable, String((other.address() as AddressInfo).port)] as const
      }),
    )
    const failing = start({ HOST: '127.0.0.1', ...Object.fromEntries(ports) })
    expect(await failing.end()).to.equal(1)
    for (const [variable, port] of ports) expect(failing.errors).to.include(`  ${variable} ${port} is in use by node`)
    expect(failing.errors)
      .to.include(`(process ${process.pid})`)
      .and.include('set these variables to other ports')
      .and.not.include(' at ')
    expect(failing.output, 'nothing was started').to.equal('')
    await failing.isRemoved()
  })

  it('writes only JSON with LOG_FORMAT=json', async () => {
    const logging = start({ PORT: '0', LOG_FORMAT: 'json', LOG_LEVEL: 'info' })
    await once(logging.child.stdout, 'data')
    expect(await logging.end('SIGTERM')).to.equal(0)
    const lines = logging.output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { msg: string })
    expect(lines.at(-1)?.msg).to.equal('Stopped')
    expect(logging.errors).to.include('The demo has stopped.')
  })
})
