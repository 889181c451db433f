import { accountOf } from '../encode-transaction.ts'
import { hexOf } from '../bytes.ts'
import { cadence } from './cadence-arguments.ts'
import type { TransactionCode } from './make-transaction.ts'
import { normalScript } from './transaction-scripts.ts'

/**
 * Delayed recovery by the contract FlowfarmRecovery, at `contract`. All are signed by the owner.
 * @throws SigningError
 */

export interface RecoveryChoice {
  /** Address of the contract. */
  readonly contract: string
  /** Account that may announce a key and add it after the delay. */
  readonly recoverer: string
  /** Id of the user for whom it may. */
  readonly user: string
}

/** Replaces an earlier choice. */
export function enableRecovery({ contract, recoverer, user }: RecoveryChoice): TransactionCode {
  return {
    script: `import FlowfarmRecovery from ${addressText(contract)}

transaction(recoverer: Address, user: String) {
    prepare(signer: auth(Storage, Capabilities) &Account) {
${removed}
        let path = FlowfarmRecovery.storagePath
        signer.storage.save(
            <-FlowfarmRecovery.enable(
                capability: signer.capabilities.account.issue<auth(AddKey) &Account>(),
                recoverer: recoverer,
                user: user
            ),
            to: path
        )
        signer.capabilities.publish(
            signer.capabilities.storage.issue<&FlowfarmRecovery.AccountRecovery>(path),
            at: FlowfarmRecovery.publicPath
        )
    }
}
`,
    arguments: [cadence.address(recoverer, 'recoverer'), cadence.string(user)],
  }
}

/** Revokes the capability too. */
export function disableRecovery(contract: string): TransactionCode {
  return {
    script: `import FlowfarmRecovery from ${addressText(contract)}

transaction {
    prepare(signer: auth(Storage, Capabilities) &Account) {
${removed}
    }
}
`,
    arguments: [],
  }
}

/** Ends an announcement; the recovery stays on. */
export function cancelRecovery(contract: string): TransactionCode {
  return {
    script: `import FlowfarmRecovery from ${addressText(contract)}

transaction {
    prepare(signer: auth(BorrowValue) &Account) {
        let recovery = signer.storage.borrow<auth(FlowfarmRecovery.Manage) &FlowfarmRecovery.AccountRecovery>(
            from: FlowfarmRecovery.storagePath
        ) ?? panic("The account has no recovery")
        recovery.cancel()
    }
}
`,
    arguments: [],
  }
}

export interface RecoveryChange {
  readonly name: 'enable-recovery' | 'disable-recovery' | 'cancel-recovery'
  readonly contract: string
}

/** Undefined for other scripts. The contract can be any. */
export function readRecoveryChange({ script }: Pick<TransactionCode, 'script'>): RecoveryChange | undefined {
  const [, contract] = /^\s*import FlowfarmRecovery from (0x[0-9a-f]{16})\s*$/m.exec(script) ?? []
  if (contract === undefined) return undefined
  const scripts: Readonly<Record<RecoveryChange['name'], TransactionCode>> = {
    'enable-recovery': enableRecovery({ contract, recoverer: contract, user: '' }),
    'disable-recovery': disableRecovery(contract),
    'cancel-recovery': cancelRecovery(contract),
  }
  const names = Object.keys(scripts) as RecoveryChange['name'][]
  const name = names.find((one) => normalScript(scripts[one].script) === normalScript(script))
  return name === undefined ? undefined : { name, contract }
}

const removed = `        signer.capabilities.unpublish(FlowfarmRecovery.publicPath)
        for controller in signer.capabilities.storage.getControllers(forPath: FlowfarmRecovery.storagePath) {
            controller.delete()
        }
        if let old <- signer.storage.load<@FlowfarmRecovery.AccountRecovery>(from: FlowfarmRecovery.storagePath) {
            signer.capabilities.account.getController(byCapabilityID: old.capabilityId)?.delete()
            destroy old
        }`

function addressText(contract: string): string {
  return `0x${hexOf(accountOf(contract, 'contract'))}`
}
