import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exitCodes, FatalError } from '../src/platform/errors.ts'
import type { EventType } from '../src/webhooks/events.ts'
import { runCommand } from './cli/command.ts'
import { flag, oneOf, someOf, text, wholeNumber } from './cli/options.ts'
import { print, printJson } from './cli/texts.ts'

/** Prevents replay. */
const maxAgeSeconds = 300

function isSignedBy(secret: string, headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) < maxAgeSeconds)) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key)
    .update(`${String(id)}.${String(timestamp)}.${body}`)
    .digest()
  return String(signatures)
    .split(' ')
    .some((signature) => {
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

interface ListenOptions {
  /** `whsec_` and base64. */
  readonly secret: string
  readonly port: number
  readonly onDelivery: (delivery: Delivery) => void
}

/** @throws the system's error if the port is in use */
async function listen({ secret, port, onDelivery }: ListenOptions): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const body = Buffer.concat(chunks).toString('utf8')
        const isGenuine = isSignedBy(secret, request.headers, body)
        response.writeHead(isGenuine ? 204 : 401).end()
        onDelivery({ id: String(request.headers['webhook-id']), isGenuine, body })
      })
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Wanted {
  readonly types: readonly EventType[]
  readonly address: string | undefined
}

async function subscribed(
  url: string,
  secret: string,
  { types, address }: Wanted,
  use: () => Promise<void>,
): Promise<void> {
  const { withDatabase } = await import('./cli/open-database.ts')
  const { DeveloperKeys } = await import('../src/platform/auth/developer-keys.ts')
  const { webhookStores } = await import('../src/webhooks/webhook-stores.ts')
  const { secretOf } = await import('../src/webhooks/signature.ts')
  await withDatabase(async ({ pool }) => {
    const stores = webhookStores(pool, ['127.0.0.0/8'])
    const keys = new DeveloperKeys(pool)
    const { key } = await keys.create({ name: 'webhook-receiver', tier: 'unlimited' })
    const owner = { keyId: key.id, tier: key.tier }
    try {
      const { subscription } = await stores.subscriptions.create(owner, {
        endpoint: { url, description: 'npm run webhook-receiver', secret: secretOf(secret) },
        eventTypes: types.length === 0 ? ['ft.transfer'] : types,
        conditions: address === undefined ? {} : { addresses: [address] },
        fromHeight: undefined,
      })
      await use()
      await stores.endpoints.remove(owner, subscription.endpointId)
    } finally {
      await keys.revoke(key.id)
    }
  })
}

await runCommand({
  name: 'webhook-receiver',
  summary: 'Receives webhooks of a flowfarm on this machine, verifies their signatures and prints them.',
  options: {
    types: someOf(
      '<types>',
      undefined,
      'Event types, separated by commas; see docs/webhooks.md. Default: ft.transfer.',
    ),
    address: text('<address>', 'Only events of this account. Default: all.'),
    secret: text('<secret>', 'Secret of an existing subscription. Default: subscribe, and unsubscribe at the end.'),
    port: wholeNumber('<port>', 'Port on 127.0.0.1. Default: a free port.', { min: 1 }),
    count: wholeNumber('<number>', 'Exit after this many deliveries. Default: run until Ctrl+C.', { min: 1 }),
    json: flag('Print JSON.'),
  },
  notes: [
    'flowfarm must run with WEBHOOK_ALLOWED_NETWORKS=127.0.0.0/8, as in the demo. The key, endpoint and subscription ' +
      'are removed at the end.',
  ],
  examples: [
    ['', 'Print transfers as they happen.'],
    ['--types block.sealed,transaction.sealed --count 10', 'Print the next ten blocks and transactions.'],
    [
      '--port 9000 --secret whsec_YSBzZWNyZXQgb2YgMjQgYnl0ZXMgLS0t',
      'Print the deliveries of a subscription for http://127.0.0.1:9000/ with that secret.',
    ],
  ],
  run: async ({
    options: { address, secret: given, port = 0, count = Number.POSITIVE_INFINITY, json, ...options },
  }) => {
    const { eventTypeNames } = await import('../src/webhooks/events.ts')
    const { secretOf, secretText } = await import('../src/webhooks/signature.ts')
    const types = options.types.map((type) => oneOf(eventTypeNames, type, 'types'))
    if (address !== undefined && !/^(0x)?[0-9a-f]{1,16}$/i.test(address))
      throw new FatalError('bad-option', `--address must be an account such as 0xe467b9dd11fa00df, not ${address}.`)
    if (given !== undefined && secretOf(given) === undefined)
      throw new FatalError('bad-option', '--secret must be whsec_ and 24 to 64 bytes in base64.')
    if (given !== undefined && (types.length > 0 || address !== undefined))
      throw new FatalError('bad-option', '--types and --address cannot be used with --secret.')
    const secret = given ?? secretText(randomBytes(32))
    const ended = Promise.withResolvers<void>()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ended.resolve())
    let received = 0
    const server = await listen({
      secret,
      port,
      onDelivery: ({ id, isGenuine, body }) => {
        if (received >= count) return
        if (json) printJson({ id, is_genuine: isGenuine, body })
        else print(`${isGenuine ? 'signature good' : 'SIGNATURE WRONG'}  ${id}\n${body}\n`)
        if (++received >= count) ended.resolve()
      },
    }).catch((error: unknown) => {
      throw new FatalError('cannot-listen', `Port ${port} is not available: choose another --port.`, { cause: error })
    })
    const wait = (): Promise<void> => {
      if (!json) print(`Waiting for messages at ${server.url}. Ctrl+C ends it.\n`)
      return ended.promise
    }
    try {
      const concerned =
        address === undefined ? undefined : `0x${address.replace(/^0x/i, '').toLowerCase().padStart(16, '0')}`
      await (given === undefined ? subscribed(server.url, secret, { types, address: concerned }, wait) : wait())
    } finally {
      server.close()
    }
    return exitCodes.success
  },
})
