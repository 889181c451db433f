import { expect } from 'chai'
import { pino } from 'pino'
import { createAccount } from '../../clients/signing/transactions/make-transaction.ts'
import { createTransactionClient, TransactionRefusedError } from '../../src/access/transaction-client.ts'
import { ChainUnavailableError } from '../../src/flow/chain-reader.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { publishedPayer, publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { PayerAccount } from '../../src/wallet/provisioning/payer-account.ts'
import { prepareTransaction } from '../../src/wallet/provisioning/transaction-sender.ts'

const log = pino({ level: 'silent' })

describe('a sent transaction', () => {
  // An empty response is a message without an id.
  for (const length of [64, 0]) {
    it(`may have arrived if the response is ${length} bytes without the expected id`, async () => {
      const node = await startLedgerNode({ seed: 6, head: 330, hasPayer: true })
      const client = createTransactionClient({ endpoint: node.endpoint, log })
      try {
        const { id: reference, height } = await client.latestSealed()
        const payer = PayerAccount.parse(publishedPayerSetting, 'WALLET_TESTNET_PAYER')
        const { id, submission } = prepareTransaction(
          createAccount('emulator', { publicKey: '11'.repeat(64) }),
          payer,
          { id: Buffer.from(reference), height },
          { keyIndex: 0, sequenceNumber: 0n },
        )
        node.inject({ kind: 'garbage', methods: ['SendTransaction'], length, times: 1 })
        expect(await client.send(submission).catch((error: unknown) => error)).to.be.instanceOf(ChainUnavailableError)
        // It has arrived, as a retry by the sender shows.
        const refusal = await client.send(submission).catch((error: unknown) => error)
        expect(refusal)
          .to.be.instanceOf(TransactionRefusedError)
          .and.to.have.property('message')
          .that.includes('already been submitted')
        node.advance(2)
        expect((await client.result(id))?.status).to.equal('SEALED')
        expect((await client.account(publishedPayer.address))?.keys[0]?.sequenceNumber).to.equal(1)
      } finally {
        await client.close()
        await node.stop()
      }
    })
  }
})
