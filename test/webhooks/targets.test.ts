import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { expect } from 'chai'
import { resolveHost } from '../../src/platform/outbound/resolve-target.ts'
import type { WebhookServiceOptions } from '../../src/webhooks/service.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { commitTransfers, makeOwner, runHooks, subscribe } from './support/hook-world.ts'
import type { RunningHooks } from './support/hook-world.ts'
import { startNameServer } from './support/name-server.ts'
import type { NameServer } from './support/name-server.ts'
import { startReceiver } from './support/receiver.ts'
import type { Receiver, ReceiverOptions } from './support/receiver.ts'
import { receiverCertificate, testRoot } from './support/test-certificate.ts'

/** Long enough for DNS and TLS on a busy machine; a delivery is dead after its first failure. */
const onlyOnce = { maxTries: 1, baseMs: 10, capMs: 10, pauseAfter: 1000 }

describe('webhook targets', () => {
  let database: TestDatabase
  let names: NameServer
  let hooks: RunningHooks | undefined
  let receiver: Receiver
  let addresses: readonly string[]
  const usual = getCACertificates('default')
  before(async () => {
    names = await startNameServer(() => addresses)
  })
  after(() => names.stop())
  beforeEach(async () => {
    addresses = ['127.0.0.1']
    database = await createTestDatabase()
    await commitTransfers(database, 0, [[]])
  })
  afterEach(async () => {
    setDefaultCACertificates(usual)
    await hooks?.stop()
    await receiver.stop()
    await database.drop()
  })

  async function run(options: ReceiverOptions, hookOptions: Partial<WebhookServiceOptions> = {}): Promise<void> {
    receiver = await startReceiver(options)
    hooks = await runHooks(database.url, {
      retry: onlyOnce,
      timeoutMs: 10_000,
      lookUp: resolveHost({ servers: [names.address] }),
      ...hookOptions,
    })
  }

  /** Resolves when a number of deliveries is finished, successful or not. */
  async function done(
    count: number,
  ): Promise<readonly { status: string; response_status: number | null; error: string | null }[]> {
    for (;;) {
      const { rows } = await database.pool.query<{
        status: string
        response_status: number | null
        error: string | null
      }>(
        'select status, response_status, error from app.webhook_deliveries where finished_at is not null order by sequence',
      )
      if (rows.length >= count) return rows
      await database.pool.query('select pg_sleep(0.02)')
    }
  }

  it('do not redirect', async () => {
    await run({
      answer: (_one, response) =>
        void response.writeHead(302, { location: `http://127.0.0.1:${receiver.port}/secret` }).end(),
    })
    await subscribe(database, await makeOwner(database), `${receiver.url}/hook`)
    await commitTransfers(database, 1, [[{ amount: '1' }, { amount: '2' }]])
    expect(await done(2)).to.deep.equal(
      Array.from({ length: 2 }, () => ({
        status: 'dead',
        response_status: 302,
        error: 'status 302; redirects are not followed',
      })),
    )
    expect(receiver.received.map(({ path }) => path)).to.deep.equal(['/hook', '/hook'])
  })

  it('fail with an invalid HTTP response', async () => {
    const answers = [
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf',
      'nonsense\r\n\r\n',
      '',
    ]
    const waiting = [...answers]
    await run({ answer: (_one, { socket }) => void socket?.end(waiting.shift() ?? '') })
    await subscribe(database, await makeOwner(database), `${receiver.url}/hook`)
    await commitTransfers(database, 1, [answers.map(() => ({}))])
    for (const one of await done(answers.length)) expect(one).to.include({ status: 'dead', response_status: null })
    expect(receiver.received).to.have.length(answers.length)
  })

  it('time out, and large responses are truncated', async () => {
    let sent = 0
    await run(
      {
        answer: ({ path }, response) => {
          response.writeHead(200)
          const drip = setInterval(() => {
            sent += path === '/endless' ? 65_536 : 1
            response.write(path === '/endless' ? Buffer.alloc(65_536, 97) : '.')
          }, 5)
          response.once('close', () => clearInterval(drip))
        },
      },
      { timeoutMs: 1000 },
    )
    const owner = await makeOwner(database)
    await subscribe(database, owner, `${receiver.url}/dripping`)
    await subscribe(database, owner, `${receiver.url}/endless`)
    await commitTransfers(database, 1, [[{}]])
    const both = await done(2)
    expect(both.map(({ status }) => status).sort()).to.deep.equal(['dead', 'delivered'])
    expect(both.find(({ status }) => status === 'dead')).to.deep.include({
      response_status: null,
      error: 'no response within 1000 ms',
    })
    expect(sent).to.be.below(8 * 1024 * 1024)
    const { rows } = await database.pool.query<{ length: number }>(
      'select max(length(response_excerpt))::int as length from app.webhook_deliveries',
    )
    expect(rows[0]?.length).to.equal(500)
  })

  it('are resolved for each delivery and rejected in private networks', async () => {
    await run({})
    await subscribe(database, await makeOwner(database), `http://rebound.test:${receiver.port}/hook`)
    const sent = async (height: number, led: readonly string[]): Promise<unknown> => {
      addresses = led
      await commitTransfers(database, height, [[{ amount: '1' }]])
      return (await done(height)).at(-1)
    }
    const refusal = {
      status: 'dead',
      response_status: null,
      error: 'its address is not on the public internet',
    }
    expect(await sent(1, ['127.0.0.1'])).to.include({ status: 'delivered' })
    for (const [nth, led] of [
      ['169.254.169.254'],
      ['10.0.0.1'],
      ['127.0.0.1', '192.168.0.1'],
      ['100.64.0.1', '93.184.215.14'],
    ].entries()) {
      expect(await sent(2 + nth, led), led.join()).to.deep.equal(refusal)
    }
    expect(await sent(6, ['93.184.215.14'])).to.include({ status: 'dead', error: 'only https is allowed' })
    expect(await sent(7, ['127.0.0.1'])).to.include({ status: 'delivered' })
    expect(receiver.received).to.have.length(2)
    expect(receiver.received[0]?.headers.host).to.equal(`rebound.test:${receiver.port}`)
    expect(names.requested.filter((name) => name === 'rebound.test')).to.have.length(7)
  })

  it('must have a certificate for their name', async () => {
    setDefaultCACertificates([...usual, testRoot])
    const secrets = new Map<string, string>()
    await run({ certificate: receiverCertificate, secrets })
    const owner = await makeOwner(database)
    const { secret } = await subscribe(database, owner, `https://receiver.test:${receiver.port}/hook`)
    secrets.set('/hook', secret)
    await subscribe(database, owner, `https://another.test:${receiver.port}/stolen`)
    await commitTransfers(database, 1, [[{ amount: '1' }]])
    const [good, stolen] = await done(2).then((rows) => [...rows].sort((a, b) => b.status.localeCompare(a.status)))
    expect([good?.status, stolen?.status]).to.deep.equal(['delivered', 'dead'])
    expect(stolen?.error).to.include('another.test')
    expect(receiver.received.map(({ path }) => path)).to.deep.equal(['/hook'])
    expect(receiver.problems).to.deep.equal([])
  })

  it('must have a trusted certificate', async () => {
    await run({ certificate: receiverCertificate })
    await subscribe(database, await makeOwner(database), `https://receiver.test:${receiver.port}/hook`)
    await commitTransfers(database, 1, [[{ amount: '1' }]])
    expect((await done(1))[0]).to.include({ status: 'dead', response_status: null })
    expect(receiver.received).to.deep.equal([])
  })

  it('are passed to the delivery service of the operator, signed', async () => {
    const secrets = new Map<string, string>()
    receiver = await startReceiver({ secrets })
    hooks = await runHooks(database.url, {
      relay: { url: new URL(`${receiver.url}/relay`), token: 'of the operator' },
      retry: onlyOnce,
    })
    const { secret } = await subscribe(database, await makeOwner(database), 'https://nobody.invalid/hook')
    secrets.set('/relay', secret)
    await commitTransfers(database, 1, [[{ amount: '1' }]])
    expect((await done(1))[0]).to.include({ status: 'delivered' })
    expect(receiver.received[0]?.headers).to.include({
      'webhook-target': 'https://nobody.invalid/hook',
      authorization: 'Bearer of the operator',
    })
    expect(receiver.problems).to.deep.equal([])
  })
})
