import { Writable } from 'node:stream'
import { expect } from 'chai'
import { pino } from 'pino'
import { describeError } from '../../../src/platform/log.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { privateKeyDigits, TransactionNode } from '../support/transaction-node.ts'
import { PayerAccount } from '../../../src/wallet/provisioning/payer-account.ts'
import type { AccountResponse } from '../../../src/wallet/provisioning/provisioning-endpoints.ts'
import { fundPayer, PasskeyList, provision, signedIn, startProvisioning } from './support/provisioning-world.ts'
import type { PayerOptions, World } from './support/provisioning-world.ts'

describe('account payers', () => {
  let database: TestDatabase
  let node: TransactionNode
  let lines: string[]
  const passkeys = new PasskeyList()
  const worlds: World[] = []

  before(async () => {
    database = await createTestDatabase()
  })
  beforeEach(async () => {
    node = await TransactionNode.start()
    lines = []
  })
  afterEach(async () => {
    await Promise.all(worlds.splice(0).map(({ stop }) => stop()))
    await node.stop()
    await database.pool.query('truncate wallet.accounts, wallet.payer_transactions')
  })
  after(() => database.drop())

  const log = () =>
    pino(
      { level: 'trace', serializers: { err: describeError } },
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          lines.push(chunk.toString('utf8'))
          done()
        },
      }),
    )
  const open = async (payer: PayerAccount | undefined, endpoint = node.endpoint): Promise<World> => {
    const world = await startProvisioning(database.url, endpoint, payer, { passkeys, log: log() })
    worlds.push(world)
    return world
  }
  const make = async (world: World): Promise<AccountResponse | undefined> => {
    const ann = signedIn()
    const { credentialId } = passkeys.add(ann.user.id)
    const { networks } = await provision(world, ann, credentialId)
    return networks['testnet']
  }
  const failure = (starting: Promise<World>): Promise<string> =>
    starting.then(
      () => 'started',
      (error: unknown) => (error as Error).message,
    )

  for (const options of [
    { algorithm: 'ECDSA_P256', hash: 'SHA2_256' },
    { algorithm: 'ECDSA_P256', hash: 'SHA3_256' },
    { algorithm: 'ECDSA_secp256k1', hash: 'SHA2_256' },
    { algorithm: 'ECDSA_secp256k1', hash: 'SHA3_256' },
  ] as const satisfies readonly PayerOptions[]) {
    it(`sign valid transactions with ${options.algorithm} and ${options.hash}`, async () => {
      expect(await make(await open(fundPayer(node, options).payer))).to.include({ state: 'sealed' })
    })
  }

  it('are checked when the wallet starts, which fails with the reason if they cannot pay', async () => {
    const { text, secret } = fundPayer(node)
    const other = PayerAccount.parse(text.replace(secret, privateKeyDigits()), 'WALLET_TESTNET_PAYER')
    expect(await failure(open(other)))
      .to.contain('WALLET_TESTNET_PAYER')
      .and.contain('does not match')
    node.accounts.clear()
    expect(await failure(open(PayerAccount.parse(text, 'WALLET_TESTNET_PAYER')))).to.contain('does not exist')
    const mainnet = await TransactionNode.start({ chainId: 'flow-mainnet' })
    try {
      const { payer } = fundPayer(mainnet)
      expect(await failure(open(payer, mainnet.endpoint)))
        .to.contain('flow-mainnet')
        .and.contain('WALLET_TESTNET_NODE')
      expect(mainnet.sent).to.equal(0)
    } finally {
      await mainnet.stop()
    }
  })

  it('may be unreachable when the wallet starts, and pay once their node is available', async () => {
    const { payer } = fundPayer(node)
    const [accounts, port] = [[...node.accounts], Number(node.endpoint.split(':')[1])]
    await node.stop()
    const world = await open(payer)
    const made = make(world)
    node = await TransactionNode.start({ port })
    for (const [address, keys] of accounts) node.accounts.set(address, keys)
    expect(await made).to.include({ state: 'sealed' })
  })

  it('sign nothing while the chain shows that they cannot pay', async () => {
    const { payer } = fundPayer(node)
    const world = await open(payer)
    const [key] = [...node.accounts.values()][0] ?? []
    if (key === undefined) throw new Error('the payer has no key')
    key.isRevoked = true
    expect(await make(world)).to.deep.include({ state: 'failed' })
    expect(node.sent).to.equal(0)
    expect(lines.some((line) => line.includes('is revoked'))).to.equal(true)
    key.isRevoked = false
    expect(await make(world)).to.include({ state: 'sealed' })
  })

  it('leave no key in the log or the database, whatever fails', async () => {
    const { payer, secret } = fundPayer(node)
    const world = await open(payer)
    node.refusal = 'invalid transaction: no'
    await make(world)
    node.refusal = undefined
    node.error = 'failed'
    await make(world)
    node.error = undefined
    await make(world)
    await failure(open(PayerAccount.parse(`${payer.address}/7/ECDSA_P256/SHA3_256/${secret}`, 'WALLET_TESTNET_PAYER')))
    const { rows } = await database.pool.query<{ row: string }>(
      `select t::text as row from wallet.accounts t union all select t::text from wallet.payer_transactions t union all select t::text from pgboss.job t`,
    )
    expect(rows.length).to.be.greaterThan(6)
    expect(lines.length).to.be.greaterThan(5)
    const key = Buffer.from(secret, 'hex')
    for (const text of [...lines, ...rows.map(({ row }) => row)]) {
      for (const form of [secret, key.toString('base64'), key.toString('base64url')])
        expect(text.toLowerCase()).not.to.contain(form.toLowerCase().slice(0, 16))
    }
  })
})
