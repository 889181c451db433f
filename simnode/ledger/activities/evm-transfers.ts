import { signedActivity, relayed } from './evm-run.ts'
import { drawAmount } from '../world/users.ts'
import { abiWord, callInput, erc20Transfer, erc721Transfer, erc1155Transfer } from '../evm/evm-encoding.ts'
import { erc20Contracts, evmContracts, pictureCount, itemKinds } from '../evm/evm-world.ts'
import { activity } from './activity.ts'
import { signerOf } from '../evm/evm-turns.ts'

interface FlowSent {
  readonly attoFlow: bigint
}

/** In whole FLOW. */
const maxFlow = 200
const attoPerUnit = 10n ** 10n

export const evmTransfer = signedActivity<FlowSent>({
  name: 'evm-transfer',
  kind: 'transfer',
  perCycle: 24,
  draw: ({ random }) => ({ attoFlow: drawAmount(random, maxFlow) * attoPerUnit }),
  call({ state: { evm } }, { attoFlow }, direction, { first, second }) {
    const [from, to] = direction === 'there' ? [first, second] : [second, first]
    evm.addBalance(from.address.toString('hex'), -attoFlow)
    evm.addBalance(to.address.toString('hex'), attoFlow)
    return { to: to.address, value: attoFlow }
  },
})

interface TokensSent {
  readonly contract: Buffer
  readonly amount: bigint
}

/** In whole tokens. */
const maxTokens = 5000
/** These tokens have six decimals. */
const unitsPerUnit = 100n

export const evmTokenTransfer = signedActivity<TokensSent>({
  name: 'evm-token-transfer',
  kind: 'erc20',
  perCycle: 40,
  draw: ({ random }) => ({
    contract: random.pick(erc20Contracts),
    amount: drawAmount(random, maxTokens) / unitsPerUnit,
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

interface Passed {
  readonly id: number
  readonly from: Buffer
  readonly to: Buffer
}

const pictureContract = evmContracts.pictures
const pictureContractHex = pictureContract.toString('hex')

export const evmPictureTransfer = signedActivity<Passed>({
  name: 'evm-picture-transfer',
  kind: 'erc721',
  perCycle: 10,
  draw({ random, state }, { second }) {
    const id = random.between(1, pictureCount)
    return { id, from: Buffer.from(state.evm.owner(pictureContractHex, id), 'hex'), to: second.address }
  },
  call({ state: { evm } }, { id, ...ends }, direction) {
    const [from, to] = direction === 'there' ? [ends.from, ends.to] : [ends.to, ends.from]
    evm.setOwner(pictureContractHex, id, to.toString('hex'))
    return {
      to: pictureContract,
      input: callInput('transferFrom(address,address,uint256)', from, to, id),
      logs: [erc721Transfer(pictureContract, from, to, id)],
    }
  },
})

interface ItemsSent {
  readonly id: number
  readonly amount: bigint
}

const itemContract = evmContracts.items
const itemContractHex = itemContract.toString('hex')
const noDataAt = 160

export const evmItemTransfer = signedActivity<ItemsSent>({
  name: 'evm-item-transfer',
  kind: 'erc1155',
  perCycle: 8,
  draw: ({ random }) => ({ id: random.between(1, itemKinds), amount: BigInt(random.between(1, 20)) }),
  call({ state: { evm } }, { id, amount }, direction, { first, second }) {
    const [from, to] = direction === 'there' ? [first.address, second.address] : [second.address, first.address]
    evm.moveItems(itemContractHex, id, from.toString('hex'), to.toString('hex'), amount)
    return {
      to: itemContract,
      input: callInput('safeTransferFrom(address,address,uint256,uint256,bytes)', from, to, id, amount, noDataAt, 0),
      logs: [erc1155Transfer(itemContract, from, from, to, id, amount)],
    }
  },
})

/** Source: onflow/flow-go `fvm/evm/types/errors.go`. */
const reverted = 306

export const evmFailure = activity({
  name: 'evm-failure',
  perCycle: 4,
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
