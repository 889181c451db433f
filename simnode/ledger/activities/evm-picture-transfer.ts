import { callInput, erc721Transfer } from '../evm/abi.ts'
import { evmContracts, pictureCount } from '../evm/evm-world.ts'
import { signedActivity } from '../evm/signed-activity.ts'

interface Passed {
  readonly id: number
  readonly from: Buffer
  readonly to: Buffer
}

const contract = evmContracts.pictures
const contractHex = contract.toString('hex')

/** An operator, as marketplaces are, passes an ERC-721 token from its owner to somebody else. */
export const evmPictureTransfer = signedActivity<Passed>({
  name: 'evm-picture-transfer',
  kind: 'erc721',
  perTide: 10,
  draw({ random, state }, { second }) {
    const id = random.between(1, pictureCount)
    return { id, from: Buffer.from(state.evm.owner(contractHex, id), 'hex'), to: second.address }
  },
  call({ state: { evm } }, { id, ...ends }, direction) {
    const [from, to] = direction === 'there' ? [ends.from, ends.to] : [ends.to, ends.from]
    evm.setOwner(contractHex, id, to.toString('hex'))
    return {
      to: contract,
      input: callInput('transferFrom(address,address,uint256)', from, to, id),
      logs: [erc721Transfer(contract, from, to, id)],
    }
  },
})
