import { expect } from 'chai'
import { PayerAccount } from '../../src/wallet/provisioning/payer-account.ts'
import type { AccountResponse } from '../../src/wallet/provisioning/provisioning-endpoints.ts'
import { createTestDatabase } from '../support/database.ts'
import { emulatorProgram, startFlowEmulator } from '../support/flow-emulator.ts'
import { NodeClient, passkeyKey } from '../support/node-client.ts'
import { PasskeyList, signedIn, startProvisioning } from '../wallet/provisioning/support/provisioning-world.ts'

describe('passkey accounts on a Flow emulator', function (this: Mocha.Suite) {
  it('are created for concurrent users, twice each, by a payer with one key', async function (this: Mocha.Context) {
    const program = emulatorProgram()
    if (program === undefined) this.skip()
    const emulator = await startFlowEmulator(program, { blockMs: 200 })
    const database = await createTestDatabase()
    const client = new NodeClient(emulator.endpoint)
    const passkeys = new PasskeyList()
    const wallet = await startProvisioning(
      database.url,
      emulator.endpoint,
      PayerAccount.parse(emulator.payerSetting, 'WALLET_TESTNET_PAYER'),
      {
        passkeys,
        startBalances: { testnet: 500_000_000n },
      },
    )
    try {
      const made = await Promise.all(
        Array.from({ length: 5 }, async () => {
          const [who, key] = [signedIn(), passkeyKey()]
          const passkey = passkeys.add(who.user.id, { publicKeySec1Hex: `04${key.publicKey}` })
          const ask = async (): Promise<AccountResponse | undefined> => {
            const answer = await wallet.endpoints['/wallet/provision']?.(
              who,
              { credentialId: passkey.credentialId, networks: ['testnet'] },
              { network: '192.0.2.1' },
            )
            return (answer as { readonly networks: Readonly<Record<string, AccountResponse>> } | undefined)?.networks[
              'testnet'
            ]
          }
          const [first, second] = await Promise.all([ask(), ask()])
          expect(first?.address).to.be.a('string').and.to.equal(second?.address)
          return { key, address: first?.address ?? '' }
        }),
      )
      expect(new Set(made.map(({ address }) => address)).size).to.equal(5)
      for (const { key, address } of made) {
        const { balance, keys } = await client.account(address)
        expect([
          balance,
          keys.map(({ publicKey, weight, signatureAlgorithm, hashAlgorithm }) => ({
            publicKey,
            weight,
            signatureAlgorithm,
            hashAlgorithm,
          })),
        ]).to.deep.equal([
          '5.00100000',
          [{ publicKey: key.publicKey, weight: 1000, signatureAlgorithm: 2, hashAlgorithm: 1 }],
        ])
      }
      const {
        keys: [key],
      } = await client.account(emulator.service.address)
      expect(key?.sequenceNumber).to.equal(5)
    } finally {
      await wallet.stop()
      await client.close()
      await emulator.stop()
      await database.drop()
    }
  })
})
