import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { addKey, createAccount, sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import type { TransactionCode } from '../../clients/signing/transactions/make-transaction.ts'
import { cancelRecovery, disableRecovery, enableRecovery } from '../../clients/signing/transactions/recovery.ts'
import type { Mail } from '../../src/platform/mail/mail-sender.ts'
import { AccountRecovery } from '../../src/wallet/provisioning/account-recovery.ts'
import { PayerAccount } from '../../src/wallet/provisioning/payer-account.ts'
import { RecoveryContract } from '../../src/wallet/provisioning/recovery-contract.ts'
import { RecoveryStore } from '../../src/wallet/provisioning/recovery-store.ts'
import { TransactionSender } from '../../src/wallet/provisioning/transaction-sender.ts'
import { emulatorProgram, startFlowEmulator } from '../support/flow-emulator.ts'
import { NodeClient, passkeyKey } from '../support/node-client.ts'
import type { TestKey, TestSigner, TransactionStatusResult } from '../support/node-client.ts'
import { untilSealed } from '../support/until-sealed.ts'
import { dataOf, origin, PasskeyWorld } from '../wallet/support/passkey-world.ts'
import { SoftAuthenticator } from '../wallet/support/soft-authenticator.ts'

const text = (name: string): string =>
  readFileSync(new URL(`../../src/wallet/provisioning/cadence/${name}.cdc`, import.meta.url), 'utf8')
const argument = (type: string, value: string): string => JSON.stringify({ type, value })
const delaySeconds = 2
const deployment = (delay: number): TransactionCode => ({
  script: text('deploy_recovery'),
  arguments: [
    argument('String', Buffer.from(text('FlowfarmRecovery')).toString('hex')),
    argument('UFix64', `${delay}.0`),
  ],
})

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
      const { createdAddress: contract = '' } = await done(deployment(delaySeconds), emulator.service)
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

  it('follows a recovery by e-mail, in any process', async function (this: Mocha.Context) {
    const program = emulatorProgram()
    if (program === undefined) this.skip()
    const emulator = await startFlowEmulator(program, { blockMs: 100 })
    const client = new NodeClient(emulator.endpoint)
    const mails: Mail[] = []
    const world = await PasskeyWorld.create({
      recoveryNetworks: ['testnet'],
      outbox: { store: async (_, mail) => void mails.push(mail), deliver: () => undefined },
    })
    const { pool } = world.database
    const log = pino({ level: 'silent' })
    const payer = PayerAccount.parse(emulator.payerSetting, 'WALLET_TESTNET_PAYER')
    const sender = new TransactionSender({ network: 'testnet', endpoint: emulator.endpoint, payer, log })
    const done = async (code: TransactionCode, proposer: TestSigner): Promise<TransactionStatusResult> => {
      const result = await untilSealed(client, await client.send(await client.signed({ code, proposer })))
      expect(result.error).to.equal('')
      return result
    }
    try {
      const { createdAddress: address = '' } = await done(deployment(8), emulator.service)
      const contract = new RecoveryContract(address, sender)
      const { onCancelled, onRound } = {
        onCancelled: world.passkeyFunction.cancelRecovery,
        onRound: world.passkeyFunction.completeRecoveries,
      }
      /** Each round by a new process. */
      const rounds = async (isDone: () => Promise<boolean>): Promise<void> => {
        while (!(await isDone())) {
          const recovery = new AccountRecovery({
            store: new RecoveryStore(pool),
            senders: new Map([['testnet', sender]]),
            contracts: new Map([['testnet', contract]]),
            log,
          })
          await recovery.round({ onCancelled, onRound })
          await pool.query("update wallet.account_recoveries set next_at = now() where state <> 'announced'")
          await pause(100)
        }
      }
      const begun = async () => {
        const owner = await world.withPasskey()
        const { token, credentialId } = owner
        const key = passkeyKey()
        const made = await done(
          createAccount('emulator', { publicKey: key.publicKey, startBalance: 100_000_000n }),
          emulator.service,
        )
        const account = { address: made.createdAddress ?? '', keyIndex: 0, key }
        await pool.query(
          `insert into wallet.accounts (credential_id, network, user_id, public_key, state, address, key_index)
           values ($1, 'testnet', $2, decode($3, 'hex'), 'sealed', $4, 0)`,
          [credentialId, owner.user.id, key.publicKey, account.address],
        )
        const choice = { contract: address, recoverer: payer.address, user: owner.user.id }
        await done(enableRecovery(choice), account)
        const confirmation = await world.confirm(owner, { action: 'email-recovery', isEnabled: true })
        dataOf(await world.call('/recovery/enable', { isEnabled: true, confirmation }, { token }))
        const authenticator = new SoftAuthenticator(origin)
        const { options, challengeId } = dataOf(
          await world.call<{ options: never; challengeId: string }>('/recovery/start', {}, { token }),
        )
        const response = authenticator.create(options)
        dataOf(await world.call('/recovery/begin', { challengeId, response }, { token }))
        const states = async (): Promise<readonly string[]> => {
          const { rows } = await pool.query<{ state: string }>(
            'select state from wallet.account_recoveries where user_id = $1',
            [owner.user.id],
          )
          return rows.map(({ state }) => state)
        }
        await rounds(async () => (await states())[0] === 'announced')
        await pool.query("update wallet.recoveries set due_at = due_at - interval '24 hours' where user_id = $1", [
          owner.user.id,
        ])
        const last = (): string | undefined => mails.findLast(({ to }) => to === owner.user.email)?.subject
        return { owner, account, authenticator, states, last }
      }
      const keysOf = async (account: TestSigner): Promise<number> => (await client.account(account.address)).keys.length

      const lost = await begun()
      await rounds(async () => (await lost.states()).length === 0)
      const [, added] = (await client.account(lost.account.address)).keys
      expect(`04${added?.publicKey}`).to.equal(lost.authenticator.credentials[0]?.publicKeySec1Hex)
      dataOf(await world.signIn(lost))
      expect(lost.last()).to.match(/^Passkey added/)

      const onChain = await begun()
      await done(cancelRecovery(address), onChain.account)
      await rounds(async () => (await onChain.states()).length === 0)
      expect(onChain.last()).to.match(/was cancelled/)
      expect((await world.signIn(onChain)).success).to.equal(false)

      const bySession = await begun()
      dataOf(await world.call('/recovery/cancel', {}, { token: bySession.owner.token }))
      await rounds(async () => (await bySession.states()).length === 0)
      const [state] = await contract.read([bySession.account.address])
      expect(state).to.include({ user: bySession.owner.user.id, announced: undefined })
      for (const { account } of [onChain, bySession]) expect(await keysOf(account)).to.equal(1)

      // Another user, who has the account in the wallet: the owner's choice names only its own.
      const other = await begun()
      await done(enableRecovery({ contract: address, recoverer: payer.address, user: 'another' }), other.account)
      await rounds(async () => (await other.states()).length === 0)
      expect(await keysOf(other.account)).to.equal(1)
    } finally {
      await sender.close()
      await client.close()
      await world.stop()
      await emulator.stop()
    }
  })
})
