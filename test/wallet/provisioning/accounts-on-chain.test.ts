import { expect } from 'chai'
import type { ApiError } from '../../../src/platform/errors.ts'
import { addressAtIndex } from '../../../src/flow/address.ts'
import type { SignedIn } from '../../../src/wallet/auth/auth-sessions.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { TransactionNode } from '../support/transaction-node.ts'
import {
  addressesOf,
  call,
  fundPayer,
  PasskeyList,
  provision,
  signedIn,
  startProvisioning,
} from './support/provisioning-world.ts'
import type { World } from './support/provisioning-world.ts'

describe('existing accounts on the chain', () => {
  const address = '01cf0e2f2f715450'
  let database: TestDatabase
  let node: TransactionNode
  let passkeys: PasskeyList
  let ann: SignedIn
  let world: World

  before(async () => {
    database = await createTestDatabase()
  })
  beforeEach(async () => {
    node = await TransactionNode.start()
    passkeys = new PasskeyList()
    ann = signedIn()
    world = await startProvisioning(database.url, node.endpoint, fundPayer(node, { keys: 1 }).payer, { passkeys })
  })
  afterEach(async () => {
    await world.stop()
    await node.stop()
    await database.pool.query('truncate wallet.accounts, wallet.payer_transactions, wallet.further_accounts')
    await database.pool.query('delete from pgboss.job')
  })
  after(() => database.drop())

  const save = (credentialId: string, at = `0x${address}`): Promise<unknown> =>
    call(world, '/wallet/provision-save', ann, { credentialId, network: 'testnet', address: at })
  const refused = (credentialId: string, at?: string): Promise<Pick<ApiError, 'status' | 'code'>> =>
    save(credentialId, at).then(
      () => ({ status: 200, code: '' }),
      (error: unknown) => error as ApiError,
    )
  const key = (publicKeySec1Hex: string): Parameters<typeof node.accounts.set>[1][number] => ({
    publicKey: publicKeySec1Hex.slice(2),
    signatureAlgorithm: 2,
    hashAlgorithm: 1,
    weight: 1000,
    sequenceNumber: 0,
  })

  it('are added if the chain has the key', async () => {
    const { credentialId, publicKeySec1Hex } = passkeys.add(ann.user.id)
    const other = passkeys.add(ann.user.id).publicKeySec1Hex
    node.accounts.set(address, [
      key(other),
      { ...key(publicKeySec1Hex), weight: 1 },
      { ...key(publicKeySec1Hex), isRevoked: true },
      key(publicKeySec1Hex),
    ])
    const expected = { network: 'testnet', state: 'sealed', address: `0x${address}`, keyIndex: 3, isImported: true }
    expect(await save(credentialId)).to.deep.equal(expected)
    expect(await save(credentialId, address.toUpperCase())).to.deep.equal(expected)
    expect((await provision(world, ann, credentialId)).networks['testnet']?.address).to.equal(`0x${address}`)
    expect(node.sent).to.equal(0)
  })

  it('are not added if the chain lacks the key, or the key is unsuitable for a passkey', async () => {
    const { credentialId, publicKeySec1Hex } = passkeys.add(ann.user.id)
    const other = passkeys.add(ann.user.id).publicKeySec1Hex
    const good = key(publicKeySec1Hex)
    const wrong = [
      undefined,
      [],
      [key(other)],
      [{ ...good, isRevoked: true }],
      [{ ...good, weight: 999 }],
      [{ ...good, hashAlgorithm: 3 }],
      [{ ...good, signatureAlgorithm: 3 }],
    ]
    for (const keys of wrong) {
      if (keys === undefined) node.accounts.delete(address)
      else node.accounts.set(address, keys)
      expect(await refused(credentialId), JSON.stringify(keys)).to.include({ status: 422, code: 'PROVISION_FAILED' })
    }
    // An invalid address for this chain, for which a node may return anything.
    node.accounts.set('1654653399040a61', [good])
    expect((await refused(credentialId, '0x1654653399040a61')).status).to.equal(422)
    expect((await database.pool.query('select from wallet.accounts')).rowCount).to.equal(0)
  })

  it('do not replace a created or pending account, and are listed next to it', async () => {
    const { credentialId, publicKeySec1Hex } = passkeys.add(ann.user.id)
    node.accounts.set(address, [key(publicKeySec1Hex)])
    node.fate = 'waits'
    await provision(world, ann, credentialId, { waitSeconds: 0 })
    const expected = { network: 'testnet', state: 'sealed', address: `0x${address}`, keyIndex: 0, isImported: true }
    expect(await save(credentialId)).to.deep.equal(expected)
    while (node.transactions.size < 1) await node.nextCall()
    node.release()
    const made = (await provision(world, ann, credentialId)).networks['testnet']?.address
    expect(await save(credentialId)).to.deep.equal(expected)
    expect(await addressesOf(world, ann)).to.deep.equal([
      [credentialId, made, false],
      [credentialId, `0x${address}`, true],
    ])
  })

  it('are limited to 20 per passkey', async () => {
    const { credentialId, publicKeySec1Hex } = passkeys.add(ann.user.id)
    await provision(world, ann, credentialId)
    const more = Array.from({ length: 21 }, (_, at) => addressAtIndex(500 + at, 'emulator'))
    for (const one of more) node.accounts.set(one.slice(2), [key(publicKeySec1Hex)])
    for (const one of more.slice(0, 20)) await save(credentialId, one)
    expect(await refused(credentialId, more[20])).to.include({
      status: 409,
      code: 'PROVISION_FAILED',
    })
    await save(credentialId, more[19])
    expect(await addressesOf(world, ann)).to.have.length(21)
  })

  it('cannot be added while the chain is unreachable', async () => {
    const { credentialId } = passkeys.add(ann.user.id)
    await node.stop()
    expect(await refused(credentialId)).to.include({ status: 503 })
    node = await TransactionNode.start()
  })
})
