import { systemAccounts } from '../world/tokens.ts'
import type { StakingCall } from './staking-program.ts'
import type { Staker } from './stakers.ts'

const imports = `import FlowIDTableStaking from 0x${systemAccounts.service.hex}
import FlowToken from 0x${systemAccounts.flowToken.hex}
import FungibleToken from 0x${systemAccounts.fungibleToken.hex}
`
const vault = `let vault = signer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("The signer has no FLOW vault")`
const node = `let staker = signer.storage.borrow<auth(FlowIDTableStaking.NodeOperator) &FlowIDTableStaking.NodeStaker>(
            from: FlowIDTableStaking.NodeStakerStoragePath
        ) ?? panic("The signer runs no node")`
const delegator = `let staker = signer.storage.borrow<auth(FlowIDTableStaking.DelegatorOwner) &FlowIDTableStaking.NodeDelegator>(
            from: FlowIDTableStaking.DelegatorStoragePath
        ) ?? panic("The signer delegates to no node")`

type AmountCall = Exclude<StakingCall, 'register-node' | 'register-delegator' | 'update-address'>

/** What is done, of a node and of a delegator. */
const bodies: Readonly<Record<AmountCall, readonly [string, string]>> = {
  'withdraw-rewards': same('vault.deposit(from: <-staker.withdrawRewardedTokens(amount: amount))'),
  'withdraw-unstaked': same('vault.deposit(from: <-staker.withdrawUnstakedTokens(amount: amount))'),
  'request-unstaking': same('staker.requestUnstaking(amount: amount)'),
  'stake-new': [
    'staker.stakeNewTokens(<-vault.withdraw(amount: amount))',
    'staker.delegateNewTokens(from: <-vault.withdraw(amount: amount))',
  ],
  'stake-rewards': ['staker.stakeRewardedTokens(amount: amount)', 'staker.delegateRewardedTokens(amount: amount)'],
  'stake-unstaked': ['staker.stakeUnstakedTokens(amount: amount)', 'staker.delegateUnstakedTokens(amount: amount)'],
  'take-back': same(
    'staker.requestUnstaking(amount: amount)\n        vault.deposit(from: <-staker.withdrawUnstakedTokens(amount: amount))',
  ),
}

function same(body: string): readonly [string, string] {
  return [body, body]
}

function script(parameters: string, lines: readonly string[]): Buffer {
  return Buffer.from(`${imports}
transaction(${parameters}) {
    prepare(signer: auth(BorrowValue, SaveValue) &Account) {
        ${lines.join('\n        ')}
    }
}
`)
}

const nodeParameters = [
  'id: String',
  'role: UInt8',
  'address: String',
  'networkingKey: String',
  'stakingKey: String',
  'proof: String',
  'amount: UFix64',
].join(', ')

const scripts = new Map<string, Buffer>([
  [
    'register-node',
    script(nodeParameters, [
      vault,
      'let record <- FlowIDTableStaking.addNodeRecord(id: id, role: role, networkingAddress: address, networkingKey: networkingKey,',
      '    stakingKey: stakingKey, stakingKeyPoP: proof, tokensCommitted: <-vault.withdraw(amount: amount))',
      'signer.storage.save(<-record, to: FlowIDTableStaking.NodeStakerStoragePath)',
    ]),
  ],
  [
    'register-delegator',
    script('nodeID: String, amount: UFix64', [
      vault,
      'let record <- FlowIDTableStaking.registerNewDelegator(nodeID: nodeID, tokensCommitted: <-vault.withdraw(amount: amount))',
      'signer.storage.save(<-record, to: FlowIDTableStaking.DelegatorStoragePath)',
    ]),
  ],
  ['update-address', script('address: String', [node, 'staker.updateNetworkingAddress(address)'])],
  ...Object.entries(bodies).flatMap(([call, [ofNode, ofDelegator]]): [string, Buffer][] => [
    [`${call} node`, script('amount: UFix64', [vault, node, ofNode])],
    [`${call} delegator`, script('amount: UFix64', [vault, delegator, ofDelegator])],
  ]),
])

/** The source of a call for a node or a delegator. */
export function stakingScript(call: StakingCall, { delegatorId }: Staker): Buffer {
  const found = scripts.get(call) ?? scripts.get(`${call} ${delegatorId === 0 ? 'node' : 'delegator'}`)
  if (found === undefined) throw new RangeError(`No script does ${call}`)
  return found
}
