import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DeveloperKeys } from '../src/auth/developer-keys.ts'
import { exitCodes, FatalError } from '../src/base/errors.ts'
import { eventTypeNames } from '../src/webhooks/event-types.ts'
import { webhookStores } from '../src/webhooks/webhook-stores.ts'
import { runCommand } from './cli/command.ts'
import { withDatabase } from './cli/open-database.ts'
import { flag, someOf, text, wholeNumber } from './cli/options.ts'
import { print, printJson } from './cli/texts.ts'

/** Receives webhooks on this machine, so that one sees what they are. How receivers verify signatures is written out here. */

/** Older messages are refused: somebody may have kept one to send it again. */
const mostSeconds = 300

function isSignedBy(secret: string, headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < mostSeconds)) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key).update(`${String(id)}.${String(timestamp)}.${body}`).digest()
  return String(signatures).split(' ').some((signature) => {
    const [version, base64 = ''] = signature.split(',')
    const given = Buffer.from(base64, 'base64')
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

interface Delivery {
  readonly id: string
  readonly isGenuine: boolean
  readonly body: string
}

/** A server on a free port of this machine. What has no good signature is answered 401. */
async function listen(secretOf: () => string, onDelivery: (delivery: Delivery) => void): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const isGenuine = isSignedBy(secretOf(), request.headers, body)
      response.writeHead(isGenuine ? 204 : 401).end()
      onDelivery({ id: String(request.headers['webhook-id']), isGenuine, body })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

await runCommand({
  name: 'webhook-receiver',
  summary: 'Receives webhooks of a flowfarm on this machine, verifies their signatures and prints them.',
  options: {
    types: someOf('<types>', eventTypeNames, 'Types of events, separated by commas. Default: ft.transfer.'),
    address: text('<address>', 'Only what concerns this account. Default: all.'),
    count: wholeNumber('<number>', 'End after so many. Default: go on until Ctrl+C.', { min: 1 }),
    json: flag('Print JSON.'),
  },
  notes: [
    'The flowfarm must run with WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8, as the demo does. What this makes (a developer key, an endpoint and a subscription) is removed at the end.',
  ],
  examples: [
    ['', 'Print transfers as they happen.'],
    ['--types block.sealed,transaction.sealed --count 10', 'Print the next ten blocks and transactions.'],
  ],
  run: ({ options: { types, address, count = Number.POSITIVE_INFINITY, json } }) => withDatabase(async ({ pool }) => {
    if (address !== undefined && !/^(0x)?[0-9a-f]{1,16}$/i.test(address)) throw new FatalError('bad-option', `--address ${address} is no account, such as 0xe467b9dd11fa00df.`)
    const stores = webhookStores(pool, ['127.0.0.0/8'])
    const keys = new DeveloperKeys(pool)
    const { key } = await keys.create({ name: 'webhook-receiver', tier: 'unlimited' })
    const owner = { keyId: key.id, tier: key.tier }
    const ended = Promise.withResolvers<void>()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.resolve())
    let secret = ''
    let received = 0
    const server = await listen(() => secret, ({ id, isGenuine, body }) => {
      if (received >= count) return
      if (json) printJson({ id, is_genuine: isGenuine, body })
      else print(`${isGenuine ? 'signature good' : 'SIGNATURE WRONG'}  ${id}\n${body}\n`)
      if (++received >= count) ended.resolve()
    })
    try {
      const made = await stores.endpoints.create(owner, { url: server.url, description: 'npm run webhook-receiver' })
      secret = made.secret
      const addresses = address === undefined ? {} : { addresses: [`0x${address.replace(/^0x/i, '').toLowerCase().padStart(16, '0')}`] }
      await stores.subscriptions.create(owner, {
        endpointId: made.endpoint.id, eventTypes: types.length === 0 ? ['ft.transfer'] : types, conditions: addresses, fromHeight: undefined,
      })
      if (!json) print(`Waiting at ${server.url} for what comes next. Ctrl+C ends it.\n`)
      await ended.promise
      await stores.endpoints.remove(owner, made.endpoint.id)
    } finally {
      await keys.revoke(key.id)
      server.close()
    }
    return exitCodes.done
  }),
})
