import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createPool } from '../../src/platform/db/pool.ts'
import { sendToParent } from './process-usage.ts'
import { assertionOf, insertPasskeys, preparePasskeys, walletOrigin } from './prepared-passkeys.ts'

/** Each sign-in comes from its own address. */

export interface SignInResults {
  readonly count: number
  readonly seconds: number
  readonly latenciesMs: readonly number[]
}

/** `prompt`: ms that a user needs at the passkey prompt, on average. `round` gives new addresses and users. */
const [, , databaseUrl = '', port = '', users = '', atOnce = '', signIns = '', prompt = '0', round = '0'] = process.argv
const agent = new Agent({ keepAlive: true, maxSockets: Number(atOnce) })

function post(path: string, body: unknown, address: string): Promise<Readonly<Record<string, unknown>>> {
  const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>()
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    origin: walletOrigin,
    'x-forwarded-for': address,
    'user-agent': 'bench',
  }
  const requested = request(
    { host: '127.0.0.1', port: Number(port), path, method: 'POST', agent, headers },
    (response) => {
      const chunks: Buffer[] = []
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', reject)
        .on('end', () => {
          const answer = Buffer.concat(chunks).toString('utf8')
          if (response.statusCode === 200) resolve(JSON.parse(answer) as Readonly<Record<string, unknown>>)
          else reject(new Error(`${path}: ${response.statusCode} ${answer}`))
        })
    },
  )
  requested.on('error', reject).end(text)
  return promise
}

async function call<Data>(endpoint: string, data: unknown, address: string): Promise<Data> {
  return (await post('/functions/v1/passkey-auth', { endpoint, data }, address))['data'] as Data
}

const passkeys = preparePasskeys(Number(users))
const pool = createPool(databaseUrl, { max: 1, applicationName: 'bench clients' })
await insertPasskeys(pool, passkeys)
await pool.end()

async function signIn(at: number): Promise<void> {
  const passkey = passkeys[at % passkeys.length]
  if (passkey === undefined) throw new Error('No passkey for this user.')
  const address = `10.${8 * Number(round) + ((at >> 16) & 7)}.${(at >> 8) & 255}.${at & 255}`
  const { options, challengeId } = await call<{ options: { challenge: string }; challengeId: string }>(
    '/login/start',
    {},
    address,
  )
  if (Number(prompt) > 0) await delay(Number(prompt) * (0.5 + Math.random()))
  const { tokenHash } = await call<{ tokenHash: string }>(
    '/login/finish',
    { challengeId, response: assertionOf(passkey, options.challenge) },
    address,
  )
  const session = await post('/auth/v1/verify', { type: 'magiclink', token_hash: tokenHash }, address)
  if (typeof session['access_token'] !== 'string') throw new Error('The response has no session.')
}

async function signInMany(from: number, count: number, latencies: number[]): Promise<void> {
  let next = from
  await Promise.all(
    Array.from({ length: Number(atOnce) }, async () => {
      while (next < from + count) {
        const startedAt = performance.now()
        await signIn(next++)
        latencies.push(performance.now() - startedAt)
      }
    }),
  )
}

const warmUp = Number(prompt) > 0 ? Number(atOnce) : Math.min(1000, Math.ceil(Number(signIns) / 5))
await signInMany(0, warmUp, [])
sendToParent('warm')
process.once('message', () => {
  const latenciesMs: number[] = []
  const beganAt = performance.now()
  void signInMany(warmUp, Number(signIns), latenciesMs).then(() => {
    sendToParent({
      count: latenciesMs.length,
      seconds: (performance.now() - beganAt) / 1000,
      latenciesMs,
    } satisfies SignInResults)
  })
})
process.once('disconnect', () => process.exit())
