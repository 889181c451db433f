import { expect } from 'chai'
import { createChainReader } from '../../../src/access/create-chain-reader.ts'
import { startLedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../../simnode/ledger/ledger-node.ts'
import { publishedPayerSetting } from '../../../simnode/ledger/world/account.ts'
import { PayerAccount } from '../../../src/wallet/provisioning/payer-account.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { PasskeyList, provision, signedIn, silent, startProvisioning } from './support/provisioning-world.ts'

describe('accounts for passkeys on the simulated chain', () => {
  let database: TestDatabase
  let node: LedgerNode

  before(async () => {
    database = await createTestDatabase()
    node = await startLedgerNode({ seed: 6, head: 330, hasPayer: true, intervalMs: 30 })
  })
  after(async () => {
    await node.stop()
    await database.drop()
  })

  it('are created in parallel by the published payer, with the initial balance', async () => {
    const passkeys = new PasskeyList()
    const payer = PayerAccount.parse(publishedPayerSetting, 'WALLET_TESTNET_PAYER')
    const world = await startProvisioning(database.url, node.endpoint, payer, {
      passkeys,
      startBalances: { testnet: 500_000_000n },
    })
    const reader = createChainReader({ liveEndpoints: [node.endpoint], log: silent })
    try {
      const made = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const ann = signedIn()
          const passkey = passkeys.add(ann.user.id)
          const { networks } = await provision(world, ann, passkey.credentialId)
          return { passkey, account: networks['testnet'] }
        }),
      )
      expect(new Set(made.map(({ account }) => account?.address))).to.have.property('size', 12)
      for (const { passkey, account } of made) {
        expect(account).to.include({ state: 'sealed', keyIndex: 0 })
        const onChain = await reader.getAccount(account?.address ?? '')
        expect(onChain?.keys).to.deep.equal([
          {
            index: 0,
            publicKey: passkey.publicKeySec1Hex.slice(2),
            signatureAlgorithm: 2,
            hashAlgorithm: 1,
            weight: 1000,
            sequenceNumber: 0,
            isRevoked: false,
          },
        ])
        expect(Number(onChain?.balance)).to.be.at.least(5)
      }
      const { rows } = await database.pool.query<{ outcome: string; count: number }>(
        'select outcome, count(*)::int as count from wallet.payer_transactions group by outcome',
      )
      expect(rows).to.deep.equal([{ outcome: 'succeeded', count: 12 }])
    } finally {
      await reader.close()
      await world.stop()
    }
  })
})
