import { activity } from '../activity.ts'
import { arrayOf } from '../encoding/cadence-type.ts'
import type { CompositeType } from '../encoding/cadence-type.ts'
import { coaAddress, nativeAccounts } from '../evm/evm-address.ts'
import { evmEvents } from '../evm/evm-events.ts'
import { evmScripts } from '../evm/evm-scripts.ts'
import { runDirect } from '../evm/run-evm.ts'
import { controllerIssued } from '../movements/account-events.ts'

const ownedAccount: CompositeType = {
  kind: 'resource',
  id: 'A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccount',
  fields: [
    { name: 'uuid', type: 'UInt64' },
    { name: 'addressBytes', type: arrayOf('UInt8', 20) },
  ],
}
const reference = { kind: 'reference', authorization: { kind: 'none' }, referenced: ownedAccount } as const
/** Ids of controllers before it, as many as an account has by then at most. */
const firstControllerId = 64
const gasUsed = 702_600
const gasLimit = 723_000
/** Stands for the code of such accounts, which is a proxy that its owner alone moves. */
const code = Buffer.from('608060405234801561001057600080fd5b50610dd6806100206000396000f3fe', 'hex')

/** Somebody makes an account in the EVM that an account of Flow owns, and keeps it. */
export const coaCreation = activity({
  name: 'coa-creation',
  perTide: 2,
  act(turn) {
    const uuid = turn.newUuid()
    const address = coaAddress(uuid)
    const path = `/storage/evm_${turn.ordinal}`
    const call = {
      kind: 'deploy',
      from: nativeAccounts.coaFactory,
      to: address,
      input: code,
      value: 0n,
      gasLimit,
    } as const
    return {
      memo: undefined,
      transaction: {
        script: evmScripts.create,
        arguments: [{ type: 'StoragePath', value: path }],
        authorizers: [turn.payer],
        gasLimit: 9999,
        computation: 90 + turn.random.below(10),
        events: [
          runDirect(turn, call, gasUsed, { contractAddress: address }),
          { shape: evmEvents.cadenceOwnedAccountCreated, values: [address.toString('hex'), uuid] },
          controllerIssued(firstControllerId + turn.ordinal, turn.payer, reference, path),
        ],
      },
    }
  },
})
