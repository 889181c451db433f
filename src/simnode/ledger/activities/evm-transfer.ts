import { signedActivity } from '../evm/signed-activity.ts'

interface Sent {
  readonly attoFlow: bigint
}

/** Somebody sends FLOW to somebody else within the EVM. */
export const evmTransfer = signedActivity<Sent>({
  name: 'evm-transfer',
  kind: 'transfer',
  perTide: 24,
  draw: ({ random }) => ({ attoFlow: BigInt(random.between(1, 2_000_000)) * 10n ** 12n }),
  call({ state: { evm } }, { attoFlow }, direction, { first, second }) {
    const [from, to] = direction === 'there' ? [first, second] : [second, first]
    evm.addBalance(from.address.toString('hex'), -attoFlow)
    evm.addBalance(to.address.toString('hex'), attoFlow)
    return { to: to.address, value: attoFlow }
  },
})
