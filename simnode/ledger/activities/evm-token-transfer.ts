import { abiWord, callInput, erc20Transfer } from '../evm/abi.ts'
import { erc20Contracts } from '../evm/evm-world.ts'
import { signedActivity } from '../evm/signed-activity.ts'
import { somebodysAmount } from '../world/amounts.ts'

interface Sent {
  readonly contract: Buffer
  readonly amount: bigint
}

/** In whole tokens. */
const most = 5000
/** These tokens have six decimals. */
const unitsPerUnit = 100n

/** Somebody sends ERC-20 tokens to somebody else. */
export const evmTokenTransfer = signedActivity<Sent>({
  name: 'evm-token-transfer',
  kind: 'erc20',
  perTide: 40,
  draw: ({ random }) => ({
    contract: random.pick(erc20Contracts),
    amount: somebodysAmount(random, most) / unitsPerUnit,
  }),
  call({ state: { evm } }, { contract, amount }, direction, { first, second }) {
    const [from, to] = direction === 'there' ? [first, second] : [second, first]
    evm.moveTokens(contract.toString('hex'), from.address.toString('hex'), to.address.toString('hex'), amount)
    return {
      to: contract,
      input: callInput('transfer(address,uint256)', to.address, amount),
      logs: [erc20Transfer(contract, from.address, to.address, amount)],
      returnedData: abiWord(1),
    }
  },
})
