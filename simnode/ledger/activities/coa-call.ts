import { activity } from '../activity.ts'
import type { Turn } from '../activity.ts'
import type { DraftTransaction } from '../draft.ts'
import { abiWord, callInput, erc20Transfer } from '../evm/abi.ts'
import { evmScripts } from '../evm/evm-scripts.ts'
import { coaOf, signerOf } from '../evm/evm-turns.ts'
import { evmContracts } from '../evm/evm-world.ts'
import { runDirect } from '../evm/run-evm.ts'
import { relayed } from '../evm/signed-activity.ts'

interface Sent {
  readonly amount: bigint
}

const contract = evmContracts.wrappedCoin
const contractHex = contract.toString('hex')
const gasUsed = 29_715
const gasLimit = 60_000

function send(turn: Turn, { amount }: Sent): DraftTransaction {
  const { address: from, owner } = coaOf('call', turn.ordinal)
  const to = signerOf('coaCall', 'back', turn.ordinal).address
  const input = callInput('transfer(address,uint256)', to, amount)
  turn.state.evm.moveTokens(contractHex, from.toString('hex'), to.toString('hex'), amount)
  const call = { kind: 'call', from, to: contract, input, value: 0n, gasLimit } as const
  const outcome = { logs: [erc20Transfer(contract, from, to, amount)], returnedData: abiWord(1) }
  return {
    script: evmScripts.call,
    arguments: [
      { type: 'String', value: contractHex },
      { type: 'String', value: input.toString('hex') },
      { type: 'UInt64', value: gasLimit },
    ],
    authorizers: [owner],
    gasLimit: 9999,
    computation: 50 + turn.random.below(10),
    events: [runDirect(turn, call, gasUsed, outcome)],
  }
}

function sendBack(turn: Turn, { amount }: Sent): DraftTransaction {
  const from = signerOf('coaCall', 'back', turn.ordinal).address
  const to = coaOf('call', turn.ordinal).address
  turn.state.evm.moveTokens(contractHex, from.toString('hex'), to.toString('hex'), amount)
  return relayed(turn, 'coaCall', 'back', {
    to: contract,
    input: callInput('transfer(address,uint256)', to, amount),
    logs: [erc20Transfer(contract, from, to, amount)],
    returnedData: abiWord(1),
  })
}

/** An account in the EVM that Cadence owns sends ERC-20 tokens; who got them sends them back. */
export const coaCall = activity<Sent>({
  name: 'coa-call',
  perTide: 10,
  act(turn) {
    const memo = { amount: BigInt(turn.random.between(1, 4_000_000_000)) }
    return { transaction: send(turn, memo), memo }
  },
  giveBack: sendBack,
})
