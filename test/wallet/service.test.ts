import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { AuthClient } from '@supabase/auth-js'
import type { GoTrueClient } from '@supabase/auth-js'
import { expect } from 'chai'
import { bytesOfBase64Url, bytesOfHex } from '../../clients/signing/bytes.ts'
import { signTransaction } from '../../clients/signing/sign-transaction.ts'
import { sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { publishedPayer, publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { dataOf } from './support/passkey-world.ts'
import type { Envelope, Registered, Started } from './support/passkey-world.ts'
import { signer, submission } from './support/sent-transactions.ts'
import { SoftAuthenticator } from './support/soft-authenticator.ts'
import type { CreationOptions, RequestOptions } from './support/soft-authenticator.ts'

interface Standing {
  readonly state: string
  readonly address: string
  readonly keyIndex: number
}

interface ChainKey {
  readonly index: number
  readonly public_key: string
  readonly weight: number
  readonly sequence_number: string
}

describe('the wallet service', () => {
  let database: TestDatabase
  let node: LedgerNode
  let folder: string
  const processes: FlowfarmProcess[] = []

  before(async () => {
    database = await createTestDatabase()
    node = await startLedgerNode({ seed: 6, head: 330, hasPayer: true, intervalMs: 100 })
    folder = await mkdtemp(join(tmpdir(), 'flowfarm-mail-'))
  })
  afterEach(async () => {
    for (const one of processes.splice(0)) await one.end('SIGKILL')
  })
  after(async () => {
    await node.stop()
    await database.drop()
    await rm(folder, { recursive: true })
  })

  function start(services: readonly string[], variables: Record<string, string> = {}): FlowfarmProcess {
    const one = new FlowfarmProcess(services, {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      PORT: '0',
      WALLET_PORT: '0',
      MAIL_FOLDER: folder,
      ...variables,
    })
    processes.push(one)
    return one
  }

  async function json<Body>(url: string, init?: RequestInit): Promise<Body> {
    const response = await fetch(url, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`)
    return JSON.parse(text) as Body
  }

  const post = (body: unknown): RequestInit => ({
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

  async function call<Data>(url: string, endpoint: string, data: unknown, token?: string): Promise<Data> {
    const response = await fetch(`${url}/functions/v1/passkey-auth`, {
      ...post({ endpoint, data }),
      headers: {
        'Content-Type': 'application/json',
        Origin: url,
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      },
    })
    return dataOf({
      status: response.status,
      headers: response.headers,
      ...((await response.json()) as Omit<Envelope<Data>, 'status' | 'headers'>),
    })
  }

  function clientOf(url: string): GoTrueClient {
    return new AuthClient({
      url: `${url}/auth/v1`,
      storageKey: `key-${Math.random()}`,
      autoRefreshToken: false,
      persistSession: false,
      detectSessionInUrl: false,
    })
  }

  /** The code in the newest e-mail of the folder. */
  async function mailedCode(): Promise<string> {
    for (;;) {
      const last = (await readdir(folder))
        .filter((name) => name.endsWith('.eml'))
        .toSorted()
        .at(-1)
      const code =
        last === undefined
          ? undefined
          : /\b\d{6}\b/.exec((await readFile(join(folder, last), 'utf8')).split('\n\n').slice(1).join('\n\n'))?.[0]
      if (code !== undefined) return code
      await delay(20)
    }
  }

  it('signs in a user, creates an account for a passkey, sends FLOW from it, and shows the result', async () => {
    const program = start(['ingest', 'farm', 'api', 'wallet'], {
      START_BLOCK: '325',
      ENABLE_HISTORY_INGESTER: 'false',
      WALLET_TESTNET_PAYER: publishedPayerSetting,
      WALLET_TESTNET_FUNDS: '10',
    })
    const url = String((await program.logged(/Wallet listening/))['url'])
    const client = clientOf(url)
    expect((await client.signInWithOtp({ email: 'ann@example.com' })).error).to.equal(null)
    const code = await mailedCode()
    const {
      data: { session },
      error,
    } = await client.verifyOtp({ email: 'ann@example.com', token: code, type: 'email' })
    expect(error).to.equal(null)
    const token = session?.access_token ?? ''

    const authenticator = new SoftAuthenticator(url)
    const started = await call<Started<CreationOptions>>(url, '/register/start', {}, token)
    expect(started.options.rp.id).to.equal('localhost')
    const { passkey, publicKeySec1Hex } = await call<Registered>(
      url,
      '/register/finish',
      { challengeId: started.challengeId, response: authenticator.create(started.options) },
      token,
    )

    const { networks } = await call<{ readonly networks: { readonly testnet: Standing } }>(
      url,
      '/wallet/provision',
      { credentialId: passkey.id, networks: ['testnet'] },
      token,
    )
    expect(networks.testnet).to.include({ state: 'sealed', keyIndex: 0 })
    const { address } = networks.testnet
    const account = await json<{ readonly balance: string; readonly keys: readonly ChainKey[] }>(
      `${url}/chain/testnet/accounts/${address}`,
    )
    expect(account.balance).to.equal('10.00100000')
    expect(account.keys.map((key) => [key.public_key, key.weight, key.sequence_number])).to.deep.equal([
      [publicKeySec1Hex.slice(2), 1000, '0'],
    ])

    const { block } = await json<{ readonly block: { readonly id: string } }>(`${url}/chain/testnet`)
    const signed = await signTransaction(
      {
        ...sendFlow('emulator', { amount: 250_000_000n, to: publishedPayer.address }),
        computeLimit: 999,
        referenceBlockId: block.id,
        payer: address,
        authorizers: [address],
        proposalKey: { address, keyIndex: 0, sequenceNumber: 0n },
        payloadSignatures: [],
        envelopeSignatures: [],
      },
      {
        address,
        keyIndex: 0,
        rpId: 'localhost',
        credentialId: bytesOfBase64Url(passkey.id, 'id'),
        publicKey: bytesOfHex(publicKeySec1Hex, 'key'),
      },
      { getCredential: signer(authenticator) },
    )
    const { id } = await json<{ readonly id: string }>(`${url}/chain/testnet/transactions`, post(submission(signed)))
    for (;;) {
      const result = await json<{ readonly status: string; readonly error: string | null }>(
        `${url}/chain/testnet/transactions/${id}`,
      )
      expect(result.error).to.equal(null)
      if (result.status === 'SEALED') break
      await delay(50)
    }

    // flowfarm derives the same.
    for (;;) {
      const { data } = await json<{
        readonly data: readonly { readonly tx_hash?: string; readonly transaction_hash?: string }[]
      }>(`${url}/explorer/flow/account/${address}/transfer?limit=50`)
      if (JSON.stringify(data).includes(id)) {
        expect(JSON.stringify(data)).to.include(publishedPayer.address)
        break
      }
      await delay(100)
    }
    // The API finds the P-256 key by the event that added it, without a previous request for the
    // account.
    const explorer = `http://127.0.0.1:${String((await program.logged(/API listening/))['port'])}`
    const digits = publicKeySec1Hex.slice(2)
    while ((await fetch(`${explorer}/flow/key/${digits}`)).status === 404) await delay(100)
    type Keys = { readonly data: readonly object[] }
    const { data: keys } = await json<Keys>(`${explorer}/flow/key/${publicKeySec1Hex}`)
    expect(keys).to.have.length(1)
    expect(keys[0]).to.deep.include({
      address,
      key_index: 0,
      public_key: digits,
      signing_algorithm: 'ECDSA_P256',
      hashing_algorithm: 'SHA2_256',
      revoked: false,
    })
    expect(keys[0]).to.have.property('added_height').that.is.a('number')
    type Found = { readonly data: { readonly hits: readonly object[] } }
    const {
      data: { hits },
    } = await json<Found>(`${explorer}/flow/search?q=${publicKeySec1Hex}`)
    expect(hits).to.have.length(1)
    expect(hits[0]).to.deep.include({ type: 'public_key', id: digits, path: `/flow/key/${digits}` })

    const { networks: offered } = await json<{ readonly networks: readonly object[] }>(`${url}/wallet/settings`)
    expect(offered).to.have.length(1)
    expect(offered[0]).to.include({ network: 'testnet', makes_accounts: true, has_explorer_api: true })

    const status = async (path: string, init?: RequestInit): Promise<number> =>
      (await fetch(`${url}${path}`, init)).status
    expect(await status(`/explorer/flow/account/${address}`, { method: 'POST' })).to.equal(405)
    for (const path of [
      '/explorer/status',
      '/explorer/operator',
      '/explorer/flow/block',
      '/explorer/admin/labels',
      '/explorer/flow/account/../../status',
      '/explorer/flow/account/%2e%2e/block',
      `/explorer/flow/account/${address}/tax-report`,
    ]) {
      expect(await status(path), path).to.equal(404)
    }

    // The next sign-in requires no e-mail.
    const login = await call<Started<RequestOptions>>(url, '/login/start', {})
    const { tokenHash } = await call<{ readonly tokenHash: string }>(url, '/login/finish', {
      challengeId: login.challengeId,
      response: authenticator.get(login.options),
    })
    const again = await clientOf(url).verifyOtp({ token_hash: tokenHash, type: 'magiclink' })
    expect(again.data.user?.id).to.equal(session?.user.id)

    // The browser stores the session in a cookie that scripts cannot read.
    const kept = await fetch(`${url}/session`, {
      ...post({ refresh_token: again.data.session?.refresh_token }),
      headers: { 'Content-Type': 'application/json', Origin: url, 'x-wallet-session': '1' },
    })
    expect(kept.status).to.equal(200)
    expect(kept.headers.get('set-cookie')).to.match(/^flowfarm-session=.+; HttpOnly; SameSite=Lax/)
    expect(await kept.text()).to.not.include('refresh_token')

    // The code, and the notice about the added passkey.
    const files = (await readdir(folder)).length
    expect(files).to.equal(2)
    expect(program.output()).to.not.include(token).and.not.include(code).and.not.include(publishedPayer.privateKey)
    expect(program.log.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level))).to.deep.equal([])
    expect(await program.end('SIGTERM')).to.equal(0)
  })

  it("issues links to the operator's programs, with their token only", async () => {
    const token = 'ab'.repeat(32)
    const program = start(['wallet'], { WALLET_SERVICE_TOKEN: token })
    const url = String((await program.logged(/Wallet listening/))['url'])
    const ask = (given: string): Promise<Response> =>
      fetch(`${url}/auth/v1/admin/generate_link`, {
        ...post({ type: 'magiclink', email: 'ben@example.com' }),
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${given}` },
      })
    expect((await ask('ab'.repeat(31))).status).to.equal(403)
    const { hashed_token: hash } = (await (await ask(token)).json()) as { readonly hashed_token: string }
    expect((await clientOf(url).verifyOtp({ token_hash: hash, type: 'magiclink' })).data.user?.email).to.equal(
      'ben@example.com',
    )
    expect(program.output()).to.not.include(token)
  })

  it('delegates sign-in to an external auth server, and reports the unavailable features', async () => {
    const program = start(['wallet'], { GOTRUE_URL: 'http://127.0.0.1:1/auth/v1', GITHUB_CLIENT_ID: 'x' })
    const url = String((await program.logged(/Wallet listening/))['url'])
    expect((await program.logged(/Passkey and editor sign-in are off/)).level).to.equal('warn')
    expect((await program.logged(/have no effect with GOTRUE_URL: GITHUB_CLIENT_ID/)).level).to.equal('warn')
    expect((await fetch(`${url}/auth/v1/settings`)).status).to.equal(404)
    expect(await json(`${url}/wallet/settings`)).to.include({ gotrue_url: 'http://127.0.0.1:1/auth/v1' })
    const answer = await fetch(`${url}/functions/v1/passkey-auth`, {
      ...post({ endpoint: '/passkeys/list' }),
      headers: { 'Content-Type': 'application/json', Authorization: 'Bearer x' },
    })
    expect(answer.status).to.equal(503)
  })

  it('refuses to start with a payer whose key does not match its account, without logging the key', async () => {
    const other = 'ab'.repeat(32)
    const program = start(['wallet'], { WALLET_TESTNET_PAYER: publishedPayerSetting.replace(/[0-9a-f]{64}$/, other) })
    expect(await program.ended(), program.output()).to.equal(1)
    expect(program.log.find(({ level }) => level === 'fatal')?.msg).to.include('WALLET_TESTNET_PAYER cannot pay')
    expect(program.output()).to.not.include(other)
  })
})
