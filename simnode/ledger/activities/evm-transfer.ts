import { signedActivity } from '../evm/signed-activity.ts'
import { somebodysAmount } from '../world/amounts.ts'

interface Sent {
  readonly attoFlow: bigint
}

/** In whole FLOW. */
const most = 200
const attoPerUnit = 10n ** 10n

/** Somebody sends FLOW to somebody else within the EVM. */
export const evmTransfer = signedActivity<Sent>({
  name: 'evm-transfer',
  kind: 'transfer',
  perTide: 24,
  draw: ({ random }) => ({ attoFlow: somebodysAmount(random, most) * attoPerUnit }),
  call({ state: { evm } }, { attoFlow }, direction, { first, second }) {
    const [from, to] = direction === 'there' ? [first, second] : [second, first]
    evm.addBalance(from.address.toString('hex'), -attoFlow)
    evm.addBalance(to.address.toString('hex'), attoFlow)
    return { to: to.address, value: attoFlow }
  },
})
