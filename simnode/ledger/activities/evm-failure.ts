import { activity } from '../activity.ts'
import { callInput } from '../evm/abi.ts'
import { signerOf } from '../evm/evm-turns.ts'
import { evmContracts } from '../evm/evm-world.ts'
import { relayed } from '../evm/signed-activity.ts'

/** A revert, by the number that the EVM contract gives it. Source: onflow/flow-go `fvm/evm/types/errors.go`. */
const reverted = 306

/** Somebody wants to send more ERC-20 tokens than there are: the call is undone, the gas is paid. */
export const evmFailure = activity({
  name: 'evm-failure',
  perTide: 4,
  act(turn) {
    const to = signerOf('failure', 'back', turn.ordinal).address
    return {
      memo: undefined,
      transaction: relayed(turn, 'failure', 'there', {
        to: evmContracts.stableCoin,
        input: callInput('transfer(address,uint256)', to, 10n ** 30n),
        error: { code: reverted, message: 'execution reverted' },
      }),
    }
  },
})
