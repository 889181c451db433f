import { expect } from 'chai'
import { base64UrlOf, bytesOfBase64Url, bytesOfHex } from '../../../clients/signing/bytes.ts'
import type { AssertionRequest } from '../../../clients/signing/passkey.ts'
import { signTransaction } from '../../../clients/signing/sign-transaction.ts'
import { sendFlow } from '../../../clients/signing/transactions/make-transaction.ts'
import { createTransactionClient, encodeSubmission } from '../../../src/access/transaction-client.ts'
import { readConfig } from '../../../src/config.ts'
import { Lifecycle } from '../../../src/platform/service.ts'
import { addressBytes } from '../../../src/flow/address.ts'
import { openProvisioning } from '../../../src/wallet/provisioning/service.ts'
import { startLedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import { publishedPayer, publishedPayerSetting } from '../../../simnode/ledger/world/account.ts'
import { PasskeyStore } from '../../../src/wallet/passkeys/passkey-store.ts'
import { provisioningEndpoints } from '../../../src/wallet/provisioning/provisioning-endpoints.ts'
import type { FunctionHandler, AccountResponse } from '../../../src/wallet/provisioning/provisioning-endpoints.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { dataOf, PasskeyWorld, rpId } from '../support/passkey-world.ts'
import type { TestUser } from '../support/passkey-world.ts'
import { silent } from './support/provisioning-world.ts'

interface Answer {
  readonly networks: Readonly<Record<string, AccountResponse>>
  readonly publicKeySec1Hex: string
}

describe('accounts for passkeys through the passkey function', () => {
  let database: TestDatabase
  let node: LedgerNode
  let world: PasskeyWorld
  const lifecycle = new Lifecycle(silent)

  before(async () => {
    database = await createTestDatabase({ max: 20 })
    node = await startLedgerNode({ seed: 6, head: 330, hasPayer: true, intervalMs: 30 })
    const config = readConfig({}, { CHAIN_ACCESS_NODE: node.endpoint, WALLET_TESTNET_PAYER: publishedPayerSetting })
    const { provisioning } = await openProvisioning(
      { config, databaseUrl: database.url, lifecycle },
      new PasskeyStore(database.pool),
      silent,
      { startBalances: { testnet: 1_000_000_000n } },
    )
    const endpoints: Readonly<Record<string, FunctionHandler>> = provisioningEndpoints(provisioning)
    world = await PasskeyWorld.create({ database, endpoints })
  })
  after(async () => {
    await world.stop()
    await lifecycle.stop('test')
    await node.stop()
    await database.drop()
  })

  /**
   * Sends FLOW from the account of a passkey.
   * @returns the chain's error; empty on success
   */
  async function send(
    { authenticator }: Pick<TestUser, 'authenticator'>,
    credentialId: string,
    publicKey: string,
    address: string,
  ): Promise<string> {
    const client = createTransactionClient({ endpoint: node.endpoint, log: silent })
    try {
      const getCredential = ({ publicKey: { challenge, ...requested } }: AssertionRequest): Promise<unknown> => {
        const { response } = authenticator.get({
          challenge: base64UrlOf(challenge),
          rpId: requested.rpId,
          allowCredentials: [{ id: credentialId }],
        })
        return Promise.resolve({
          response: Object.fromEntries(
            ['authenticatorData', 'clientDataJSON', 'signature'].map((name) => [
              name,
              bytesOfBase64Url(response[name as keyof typeof response] ?? '', name),
            ]),
          ),
        })
      }
      const { id, height } = await client.latestSealed()
      const signed = await signTransaction(
        {
          ...sendFlow('emulator', { amount: 150_000_000n, to: publishedPayer.address }),
          computeLimit: 999,
          referenceBlockId: id.toString('hex'),
          payer: address,
          authorizers: [address],
          proposalKey: { address, keyIndex: 0, sequenceNumber: 0n },
          payloadSignatures: [],
          envelopeSignatures: [],
        },
        {
          address,
          keyIndex: 0,
          rpId,
          credentialId: bytesOfBase64Url(credentialId, 'id'),
          publicKey: bytesOfHex(publicKey, 'key'),
        },
        { getCredential },
      )
      const account = addressBytes(address)
      const sentId = await client.send(
        encodeSubmission({
          script: Buffer.from(signed.script),
          arguments: signed.arguments.map((one) => Buffer.from(one)),
          referenceBlockId: Buffer.from(id),
          gasLimit: 999n,
          proposerAddress: account,
          proposerKeyId: 0,
          proposerSequenceNumber: 0n,
          payer: account,
          authorizers: [account],
          payloadSignatures: [],
          envelopeSignatures: signed.envelopeSignatures.map(({ signature, extensionData }) => ({
            address: account,
            keyId: 0,
            signature: Buffer.from(signature),
            extensionData: Buffer.from(extensionData ?? []),
          })),
        }),
      )
      for (;;) {
        const result = await client.result(sentId)
        if (result?.status === 'SEALED') return result.errorMessage
        if (node.head > height + 600) throw new Error('the transaction came into no block')
      }
    } finally {
      await client.close()
    }
  }

  it('are controlled by the real passkey: it signs, and the chain transfers the FLOW', async () => {
    const testUser = await world.withPasskey()
    const { credentialId, token } = testUser
    const { networks, publicKeySec1Hex } = dataOf(
      await world.call<Answer>('/wallet/provision', { credentialId }, { token }),
    )
    expect(networks['testnet']).to.include({ state: 'sealed', keyIndex: 0 })
    // The simulated chain replaces testnet only.
    expect(networks['mainnet']?.state).to.equal('refused')
    const address = networks['testnet']?.address ?? ''
    expect(await send(testUser, credentialId, publicKeySec1Hex, address)).to.equal('')
    const { accounts } = dataOf(
      await world.call<{ accounts: readonly object[] }>('/wallet/accounts', undefined, { token }),
    )
    expect(accounts).to.have.length(1)
    expect(accounts[0]).to.include({ credentialId, flowAddressTestnet: address, flowAddress: null })
  })

  it("require a session and the user's own passkey", async () => {
    const [ann, bob] = [await world.withPasskey(), await world.withPasskey()]
    for (const endpoint of [
      '/wallet/provision-start',
      '/wallet/provision',
      '/wallet/provision-save',
      '/wallet/accounts',
    ]) {
      const { status, error } = await world.call(endpoint, { credentialId: ann.credentialId })
      expect([status, error.code], endpoint).to.deep.equal([401, 'UNAUTHORIZED'])
    }
    const { status, error } = await world.call(
      '/wallet/provision',
      { credentialId: ann.credentialId },
      { token: bob.token },
    )
    expect([status, error.code]).to.deep.equal([404, 'CREDENTIAL_NOT_FOUND'])
    expect(
      (
        await world.call(
          '/wallet/provision',
          { credentialId: ann.credentialId, networks: ['mainnet'] },
          { token: ann.token },
        )
      ).status,
    ).to.equal(503)
    expect((await world.call('/wallet/provision', { credentialId: 7 }, { token: ann.token })).error.code).to.equal(
      'INVALID_INPUT',
    )
  })

  it('does not start with a recovery contract that is not safe', async () => {
    const paying = { WALLET_TESTNET_PAYER: publishedPayerSetting }
    const start = async (env: Readonly<Record<string, string>>): Promise<string> => {
      const own = new Lifecycle(silent)
      const config = readConfig({}, { CHAIN_ACCESS_NODE: node.endpoint, ...env })
      const starting = openProvisioning(
        { config, databaseUrl: database.url, lifecycle: own },
        new PasskeyStore(database.pool),
        silent,
      )
      const problem = await starting.then(
        () => 'started',
        (error: unknown) => String(error),
      )
      await own.stop('test')
      return problem
    }
    const contract = { WALLET_TESTNET_RECOVERY: publishedPayer.address }
    expect(await start(contract)).to.match(/WALLET_TESTNET_RECOVERY needs WALLET_TESTNET_PAYER/)
    expect(await start({ ...paying, WALLET_TESTNET_RECOVERY: 'x' })).to.match(/must be an address/)
    expect(await start({ ...paying, ...contract })).to.match(/does not have the contract FlowfarmRecovery/)
  })
})
