import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { addKey, createAccount, sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import type { TransactionCode } from '../../clients/signing/transactions/make-transaction.ts'
import { cancelRecovery, disableRecovery, enableRecovery } from '../../clients/signing/transactions/recovery.ts'
import { emulatorProgram, startFlowEmulator } from '../support/flow-emulator.ts'
import { NodeClient, passkeyKey } from '../support/node-client.ts'
import type { TestKey, TestSigner, TransactionStatusResult } from '../support/node-client.ts'

const text = (name: string): string =>
  readFileSync(new URL(`../../src/wallet/provisioning/cadence/${name}.cdc`, import.meta.url), 'utf8')
const argument = (type: string, value: string): string => JSON.stringify({ type, value })
const delaySeconds = 2

describe('delayed recovery of accounts on a Flow emulator', function (this: Mocha.Suite) {
  it('adds only the announced key, after the delay', async function (this: Mocha.Context) {
    const program = emulatorProgram()
    if (program === undefined) this.skip()
    const emulator = await startFlowEmulator(program)
    const client = new NodeClient(emulator.endpoint)
    const run = async (code: TransactionCode, proposer: TestSigner): Promise<TransactionStatusResult> =>
      client.result(await client.send(await client.signed({ code, proposer })))
    const done = async (code: TransactionCode, proposer: TestSigner): Promise<TransactionStatusResult> => {
      const result = await run(code, proposer)
      expect(result.error).to.equal('')
      return result
    }
    const newAccount = async (key: TestKey): Promise<TestSigner> => {
      const code = createAccount('emulator', { publicKey: key.publicKey, startBalance: 100_000_000n })
      const { createdAddress } = await done(code, emulator.service)
      return { address: createdAddress ?? '', keyIndex: 0, key }
    }
    try {
      const { createdAddress: contract = '' } = await done(
        {
          script: text('deploy_recovery'),
          arguments: [
            argument('String', Buffer.from(text('FlowfarmRecovery')).toString('hex')),
            argument('UFix64', `${delaySeconds}.0`),
          ],
        },
        emulator.service,
      )
      expect(await client.account(contract))
        .to.have.property('keys')
        .that.deep.equals([])
      const script = (name: string): string =>
        text(name).replace('import "FlowfarmRecovery"', `import FlowfarmRecovery from ${contract}`)
      const [owner, lost, attacker] = [passkeyKey(), passkeyKey(), passkeyKey()]
      const account = await newAccount(owner)
      const stranger = await newAccount(attacker)
      const announce = (key: TestKey): TransactionCode => ({
        script: script('announce_recovery'),
        arguments: [argument('Address', account.address), argument('String', key.publicKey)],
      })
      const complete = { script: script('complete_recovery'), arguments: [argument('Address', account.address)] }
      const cancel = { script: script('cancel_recovery'), arguments: [argument('Address', account.address)] }
      const keys = async (): Promise<readonly string[]> =>
        (await client.account(account.address)).keys.map(({ publicKey }) => publicKey)
      // The time of a block is that of the block before.
      const untilDue = async (periods = 1): Promise<void> => {
        await pause((periods * delaySeconds + 1) * 1000)
        await done(sendFlow('emulator', { amount: 1n, to: contract }), emulator.service)
      }
      const { service } = emulator
      const choice = { contract, recoverer: service.address, user: 'a-user' }

      // Without the owner's choice, nothing can be announced.
      expect((await run(announce(lost), service)).error).to.match(/has no recovery/)
      const enabled = await done(enableRecovery(choice), account)
      expect(enabled.eventTypes).to.include(`A.${contract.slice(2)}.FlowfarmRecovery.Enabled`)
      expect((await run(complete, service)).error).to.match(/No recovery is announced/)
      expect((await run(announce(attacker), stranger)).error).to.match(/Another account recovers this one/)
      expect(
        (
          await run(
            {
              ...announce(lost),
              arguments: [argument('Address', account.address), argument('String', '00'.repeat(64))],
            },
            service,
          )
        ).error,
      ).to.not.equal('')

      // Early, by another account, and with a second key, which starts the delay again.
      await done(announce(attacker), service)
      expect((await run(complete, service)).error).to.match(/The delay has not passed/)
      expect((await run(complete, stranger)).error).to.match(/Another account recovers this one/)
      expect((await run(cancel, stranger)).error).to.match(/Another account recovers this one/)
      await untilDue()
      await done(announce(lost), service)
      expect((await run(complete, service)).error).to.match(/The delay has not passed/)
      expect(await keys()).to.deep.equal([owner.publicKey])

      // The owner cancels, and the recoverer.
      expect((await done(cancelRecovery(contract), account)).eventTypes).to.include(
        `A.${contract.slice(2)}.FlowfarmRecovery.Cancelled`,
      )
      await untilDue()
      expect((await run(complete, service)).error).to.match(/No recovery is announced/)
      await done(announce(lost), service)
      await done(cancel, service)
      expect((await run(complete, service)).error).to.match(/No recovery is announced/)

      // An announcement expires.
      await done(announce(lost), service)
      await untilDue(3)
      expect((await run(complete, service)).error).to.match(/The announcement has expired/)

      await done(announce(lost), service)
      await untilDue()
      expect((await done(complete, service)).eventTypes).to.include(`A.${contract.slice(2)}.FlowfarmRecovery.Completed`)
      expect((await run(complete, service)).error).to.match(/No recovery is announced/)
      const [, added] = (await client.account(account.address)).keys
      expect(added).to.include({
        publicKey: lost.publicKey,
        weight: 1000,
        signatureAlgorithm: 2,
        hashAlgorithm: 1,
        isRevoked: false,
      })
      const recovered = { address: account.address, keyIndex: 1, key: lost }
      await done(sendFlow('emulator', { amount: 1n, to: stranger.address }), recovered)

      // Switched off by the recovered key during a delay; the owner can switch it on again.
      await done(announce(attacker), service)
      await done(disableRecovery(contract), recovered)
      await untilDue()
      expect((await run(complete, service)).error).to.match(/has no recovery/)
      await done(enableRecovery({ ...choice, recoverer: stranger.address }), recovered)
      await done(enableRecovery(choice), recovered)
      expect((await run(announce(attacker), stranger)).error).to.match(/Another account recovers this one/)
      await done(addKey('emulator', { publicKey: attacker.publicKey, weight: 500 }), recovered)
      expect(await keys()).to.deep.equal([owner.publicKey, lost.publicKey, attacker.publicKey])
    } finally {
      await client.close()
      await emulator.stop()
    }
  })
})
