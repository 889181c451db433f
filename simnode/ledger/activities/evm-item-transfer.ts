import { callInput, erc1155Transfer } from '../evm/abi.ts'
import { evmContracts, itemKinds } from '../evm/evm-world.ts'
import { signedActivity } from '../evm/signed-activity.ts'

interface Sent {
  readonly id: number
  readonly amount: bigint
}

const contract = evmContracts.items
const contractHex = contract.toString('hex')
/** Where the bytes begin that go with a transfer, of which there are none. */
const noDataAt = 160

/** Somebody sends some of a kind of ERC-1155 tokens to somebody else. */
export const evmItemTransfer = signedActivity<Sent>({
  name: 'evm-item-transfer',
  kind: 'erc1155',
  perTide: 8,
  draw: ({ random }) => ({ id: random.between(1, itemKinds), amount: BigInt(random.between(1, 20)) }),
  call({ state: { evm } }, { id, amount }, direction, { first, second }) {
    const [from, to] = direction === 'there' ? [first.address, second.address] : [second.address, first.address]
    evm.moveItems(contractHex, id, from.toString('hex'), to.toString('hex'), amount)
    return {
      to: contract,
      input: callInput('safeTransferFrom(address,address,uint256,uint256,bytes)', from, to, id, amount, noDataAt, 0),
      logs: [erc1155Transfer(contract, from, from, to, id, amount)],
    }
  },
})
