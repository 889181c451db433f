import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import type pg from 'pg'
import { join } from 'node:path'
import { exitCodes } from '../../src/platform/errors.ts'
import { readRelyingParty } from '../../src/wallet/passkeys/relying-party.ts'
import { verifyAssertion } from '../../src/wallet/passkeys/webauthn.ts'
import { forkReady, openBenchDatabase, startFlowfarm } from './bench-programs.ts'
import { assertionOf, preparePasskeys, walletOrigin } from './prepared-passkeys.ts'
import { cpuSeconds, treeCpuSeconds } from './process-usage.ts'
import { measureLoadedExplorer } from './wallet-explorer.ts'
import { median, printConditions, quantile, Sheet } from './sheet.ts'
import type { SignInResults } from './wallet-clients.ts'

export interface WalletOptions {
  readonly signIns: number
  readonly atOnce: number
  readonly profile: string | undefined
}

export async function benchWallet({ signIns, atOnce, profile }: WalletOptions): Promise<number> {
  const sheet = new Sheet()
  await printConditions()
  sheet.heading('Check of an assertion')
  const { medianMs, p99Ms, bareMs } = await measureVerification(Math.min(signIns, 3000))
  const bare = { limit: bareMs, limitName: 'bare ECDSA', atMost: 5 }
  sheet.figure('median', medianMs, 'ms', bare)
  sheet.figure('p99', p99Ms, 'ms', bare)
  await measureSignIns(sheet, signIns, atOnce, profile)
  await measureLoadedExplorer(sheet, signIns < 1000 ? { phases: 1, seconds: 3 } : { phases: 4, seconds: 10 })
  sheet.end()
  return exitCodes.success
}

/** The limit is 30 within five minutes. */
const signInsOfUser = 20

async function measureSignIns(
  sheet: Sheet,
  signIns: number,
  atOnce: number,
  profileFolder: string | undefined,
): Promise<void> {
  const database = await openBenchDatabase()
  const wallet = await startFlowfarm(
    ['wallet'],
    {
      DB_URL: database.url,
      WALLET_PORT: '0',
      WALLET_URL: walletOrigin,
      CHAIN_ACCESS_NODE: '127.0.0.1:1',
      MAIL_FOLDER: join(database.folder, 'mail'),
    },
    { ready: 'Wallet listening', profileFolder },
  )
  const users = Math.max(atOnce, Math.ceil((signIns * 1.2) / signInsOfUser))
  const { child } = await forkReady('wallet-clients.ts', [database.url, wallet.port, users, atOnce, signIns])
  try {
    const usage = (): readonly [number, number] => [cpuSeconds(wallet.pid), treeCpuSeconds(database.postmaster)]
    const before = usage()
    child.send('go')
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the clients ended with ${String(code)}`)
    })
    const [{ count, seconds, latenciesMs }] = await Promise.race([
      once(child, 'message') as Promise<[SignInResults]>,
      ended,
    ])
    ended.catch(() => undefined)
    const after = usage()
    const msOfEach = (at: 0 | 1): number => ((after[at] - before[at]) / count) * 1000
    sheet.heading(`Sign-ins by passkey, ${signIns}, ${atOnce} at a time, one process`)
    const commits = { limit: await bareCommits(database.pool, 4000), limitName: 'bare commits', atLeast: 500 }
    sheet.figure('rate', count / seconds, 'sign-ins/s', commits)
    sheet.figure('CPU of the wallet', msOfEach(0), 'ms a sign-in', { atMost: 2 })
    sheet.figure('CPU of PostgreSQL', msOfEach(1), 'ms a sign-in')
    sheet.figure('first request to session, median', median(latenciesMs), 'ms')
    sheet.figure('the same, p99', quantile(latenciesMs, 0.99), 'ms')
  } finally {
    if (child.connected) child.disconnect()
    await wallet.end()
    await database.close()
  }
}

const connections = 10

async function bareCommits(pool: pg.Pool, count: number): Promise<number> {
  await pool.query('create table bench_commits (id bigint generated always as identity, at timestamptz default now())')
  const startedAt = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next++ < count) await pool.query('insert into bench_commits default values')
    }),
  )
  return count / ((performance.now() - startedAt) / 1000)
}

interface Verification {
  readonly medianMs: number
  readonly p99Ms: number
  readonly bareMs: number
}

const warmUp = 200

async function measureVerification(count: number): Promise<Verification> {
  const passkeys = preparePasskeys(Math.min(count, 500))
  const relyingParty = readRelyingParty({ url: walletOrigin, rpId: undefined, rpName: 'bench', origins: [] })
  const given = Array.from({ length: count + warmUp }, (_, at) => {
    const passkey = passkeys[at % passkeys.length]
    if (passkey === undefined) throw new Error('No passkey.')
    const challenge = randomBytes(32).toString('base64url')
    return {
      passkey,
      response: assertionOf(passkey, challenge),
      challengeHash: createHash('sha256').update(challenge).digest(),
    }
  })
  const check = ({ passkey, response, challengeHash }: (typeof given)[number]): Promise<unknown> =>
    verifyAssertion(response, passkey, { relyingParty, challengeHash, needsUserHandle: true })
  for (const one of given.slice(0, warmUp)) await check(one)
  const times: number[] = []
  for (const one of given.slice(warmUp)) {
    const beganAt = performance.now()
    await check(one)
    times.push(performance.now() - beganAt)
  }
  return {
    medianMs: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    bareMs: quantile(bareTimes(given.slice(warmUp)), 0.5),
  }
}

/** P-256, up to the point. */
const spkiHead = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex')

function bareTimes(
  given: readonly {
    readonly passkey: { readonly publicKeySec1: Buffer }
    readonly response: {
      readonly response: {
        readonly authenticatorData: string
        readonly clientDataJSON: string
        readonly signature: string
      }
    }
  }[],
): number[] {
  return given.map(({ passkey, response: { response } }) => {
    const clientData = createHash('sha256').update(Buffer.from(response.clientDataJSON, 'base64url')).digest()
    const signed = Buffer.concat([Buffer.from(response.authenticatorData, 'base64url'), clientData])
    const signature = Buffer.from(response.signature, 'base64url')
    const started = performance.now()
    const key = createPublicKey({ key: Buffer.concat([spkiHead, passkey.publicKeySec1]), format: 'der', type: 'spki' })
    if (!verify('sha256', signed, key, signature)) throw new Error('A valid signature was refused.')
    return performance.now() - started
  })
}
