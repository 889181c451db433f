import { expect } from 'chai'
import { sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { publishedPayer, publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { PayerAccount } from '../../src/wallet/provisioning/payer-account.ts'
import type { AccountResponse } from '../../src/wallet/provisioning/provisioning-endpoints.ts'
import { createTestDatabase } from '../support/database.ts'
import { NodeClient, passkeyKey } from '../support/node-client.ts'
import { PasskeyList, signedIn, startProvisioning } from '../wallet/provisioning/support/provisioning-world.ts'

describe('wallet on the simulated chain', () => {
  it('creates accounts for many concurrent passkeys by the published payer, and one of them sends tokens', async () => {
    const database = await createTestDatabase()
    await using node = await startLedgerNode({ seed: 6, head: 380, hasPayer: true, intervalMs: 25 })
    await using client = new NodeClient(node.endpoint)
    const passkeys = new PasskeyList()
    const wallet = await startProvisioning(
      database.url,
      node.endpoint,
      PayerAccount.parse(publishedPayerSetting, 'WALLET_TESTNET_PAYER'),
      {
        passkeys,
        startBalances: { testnet: 200_000_000n },
      },
    )
    try {
      const users = Array.from({ length: 15 }, () => {
        const [who, key] = [signedIn(), passkeyKey()]
        return { who, key, passkey: passkeys.add(who.user.id, { publicKeySec1Hex: `04${key.publicKey}` }) }
      })
      const made = await Promise.all(
        users.map(async ({ who, key, passkey }) => {
          const answer = await wallet.endpoints['/wallet/provision']?.(
            who,
            { credentialId: passkey.credentialId, networks: ['testnet'] },
            { network: '192.0.2.1' },
          )
          const { networks } = (answer ?? {}) as { readonly networks?: Readonly<Record<string, AccountResponse>> }
          return { key, address: networks?.['testnet']?.address ?? '', keyIndex: 0 }
        }),
      )
      expect(new Set(made.map(({ address }) => address)).size).to.equal(users.length)
      for (const { key, address } of made) {
        const { balance, keys } = await client.account(address)
        expect([balance, ...keys.map(({ publicKey }) => publicKey)]).to.deep.equal(['2.00100000', key.publicKey])
      }
      const used = (await client.account(publishedPayer.address)).keys.map(({ sequenceNumber }) => sequenceNumber)
      expect(used.reduce((sum, count) => sum + count, 0)).to.equal(users.length)
      expect(used.filter((count) => count > 0).length).to.be.greaterThan(1)

      const [first, second] = made
      if (first === undefined || second === undefined) throw new Error('no account was created')
      const id = await client.send(
        await client.signed({
          code: sendFlow('emulator', { amount: 50_000_000n, to: second.address }),
          proposer: first,
        }),
      )
      const { head } = node
      while (node.head < head + 2) await new Promise((resolve) => node.events.once('head', resolve))
      expect(await client.result(id)).to.include({ status: 4, error: '' })
      expect((await client.account(second.address)).balance).to.equal('2.50100000')
    } finally {
      await wallet.stop()
      await database.drop()
    }
  })
})
