import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { dataOf } from './support/passkey-world.ts'
import type { Envelope, Registered, Started } from './support/passkey-world.ts'
import { SoftAuthenticator } from './support/soft-authenticator.ts'
import type { CreationOptions, RequestOptions } from './support/soft-authenticator.ts'

describe('wallet metrics', () => {
  let database: TestDatabase
  let node: LedgerNode
  let folder: string
  let program: FlowfarmProcess | undefined

  before(async () => {
    database = await createTestDatabase()
    node = await startLedgerNode({ seed: 6, head: 330, hasPayer: true, intervalMs: 100 })
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-mail-'))
  })
  after(async () => {
    await program?.end('SIGKILL')
    await node.stop()
    await database.drop()
    await rm(folder, { recursive: true })
  })

  const post = async <Body>(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Body> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, ...((await response.json()) as object) } as Body
  }

  async function mailedCode(): Promise<string> {
    for (;;) {
      const [mail] = (await readdir(folder)).filter((name) => name.endsWith('.eml'))
      const code =
        mail === undefined
          ? undefined
          : /\b\d{6}\b/.exec((await readFile(join(folder, mail), 'utf8')).split('\n\n').slice(1).join('\n\n'))?.[0]
      if (code !== undefined) return code
      await delay(20)
    }
  }

  it("count accounts, sign-ins, e-mails and passkey events, and include the payer's balance", async () => {
    program = new FlowfarmProcess(['wallet'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      WALLET_PORT: '0',
      METRICS_PORT: '0',
      MAIL_FOLDER: folder,
      WALLET_TESTNET_PAYER: publishedPayerSetting,
      WALLET_PROVISION_LIMIT: '1',
    })
    const metricsPort = String((await program.logged(/Serving metrics/))['port'])
    const url = String((await program.logged(/Wallet listening/))['url'])
    const figures = async (): Promise<ReadonlyMap<string, number>> => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
      return new Map(
        text
          .split('\n')
          .filter((line) => line.startsWith('flowfarm_wallet_'))
          .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
      )
    }
    const balance = (await figures()).get('flowfarm_wallet_payer_balance_flow{network="testnet"}') ?? 0
    expect(balance).to.be.greaterThan(0)

    const call = async <Data>(endpoint: string, data: unknown, token?: string): Promise<Data> =>
      dataOf(
        await post<Envelope<Data>>(
          `${url}/functions/v1/passkey-auth`,
          { endpoint, data },
          { Origin: url, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
        ),
      )
    await post(`${url}/auth/v1/otp`, { email: 'ann@example.com' })
    const { access_token: token } = await post<{ readonly access_token: string }>(`${url}/auth/v1/verify`, {
      type: 'email',
      email: 'ann@example.com',
      token: await mailedCode(),
    })
    const makePasskey = async (authenticator: SoftAuthenticator, confirming?: SoftAuthenticator): Promise<string> => {
      const confirm = async (): Promise<unknown> => {
        const { options, challengeId } = await call<Started<RequestOptions>>(
          '/passkeys/confirm',
          { change: { action: 'add-passkey' } },
          token,
        )
        return { challengeId, response: confirming?.get(options) }
      }
      const started = await call<Started<CreationOptions>>(
        '/register/start',
        confirming === undefined ? {} : { confirmation: await confirm() },
        token,
      )
      return (
        await call<Registered>(
          '/register/finish',
          { challengeId: started.challengeId, response: authenticator.create(started.options) },
          token,
        )
      ).passkey.id
    }
    const authenticator = new SoftAuthenticator(url)
    await call('/wallet/provision', { credentialId: await makePasskey(authenticator), networks: ['testnet'] }, token)
    // The daily limit of accounts is used up.
    const data = {
      credentialId: await makePasskey(new SoftAuthenticator(url), authenticator),
      networks: ['testnet', 'mainnet'],
    }
    await post(
      `${url}/functions/v1/passkey-auth`,
      { endpoint: '/wallet/provision', data },
      { Origin: url, Authorization: `Bearer ${token}` },
    )
    const login = await call<Started<RequestOptions>>('/login/start', {})
    const response = authenticator.get(login.options)
    const { tokenHash } = await call<{ readonly tokenHash: string }>('/login/finish', {
      challengeId: login.challengeId,
      response,
    })
    await post(`${url}/auth/v1/verify`, { type: 'magiclink', token_hash: tokenHash })
    await post(
      `${url}/functions/v1/passkey-auth`,
      { endpoint: '/login/finish', data: { challengeId: login.challengeId, response } },
      { Origin: url },
    )

    const mails = 'flowfarm_wallet_mails_total{result="sent"}'
    let after = await figures()
    while ((after.get(mails) ?? 0) < 3) after = await figures()
    expect(Object.fromEntries([...after].filter(([name]) => !name.includes('_balance_')))).to.deep.equal({
      'flowfarm_wallet_accounts_total{network="testnet",result="sealed"}': 1,
      'flowfarm_wallet_accounts_total{network="testnet",result="refused"}': 1,
      'flowfarm_wallet_accounts_total{network="mainnet",result="refused"}': 1,
      'flowfarm_wallet_passkey_events_total{event="registration_started",result="done"}': 2,
      'flowfarm_wallet_passkey_events_total{event="registration_completed",result="done"}': 2,
      'flowfarm_wallet_passkey_events_total{event="authentication_started",result="done"}': 2,
      'flowfarm_wallet_passkey_events_total{event="authentication_completed",result="done"}': 2,
      'flowfarm_wallet_passkey_events_total{event="authentication_failed",result="refused"}': 1,
      'flowfarm_wallet_passkey_events_total{event="rate_limit_exceeded",result="refused"}': 1,
      'flowfarm_wallet_sign_ins_total{method="otp"}': 1,
      'flowfarm_wallet_sign_ins_total{method="webauthn"}': 1,
      'flowfarm_wallet_mails_total{result="sent"}': 3,
    })
  })
})
