import { userOfTurn } from '../world/users.ts'
import { systemAccounts } from '../world/tokens.ts'
import { json } from './script-values.ts'
import type { CadenceJson } from './script-values.ts'

/** Each has an answer in `sampleAnswers`. */
export const sampleNames = [
  'add',
  'flow-balance',
  'storage-use',
  'item-ids',
  'flow-supply',
  'total-staked',
  'block-height',
] as const
export type SampleName = (typeof sampleNames)[number]

export interface SampleScript {
  readonly name: SampleName
  readonly title: string
  /** With the emulator's addresses. */
  readonly code: string
  /** JSON-CDC. */
  readonly arguments: readonly CadenceJson[]
}

const sampleAccount: CadenceJson = { value: `0x${userOfTurn(3).hex}`, type: 'Address' }
const service = `0x${systemAccounts.service.hex}`

/** They run on any network. */
export const sampleScripts: readonly SampleScript[] = [
  {
    name: 'add',
    title: 'Sum of two numbers',
    code: `/// Adds two numbers. Run it with Ctrl+Enter, or ⌘ Enter.
access(all) fun main(a: Int, b: Int): Int {
    return a + b
}
`,
    arguments: [
      { value: '2', type: 'Int' },
      { value: '3', type: 'Int' },
    ],
  },
  {
    name: 'flow-balance',
    title: 'FLOW balance of an account',
    code: `access(all) fun main(address: Address): UFix64 {
    return getAccount(address).balance
}
`,
    arguments: [sampleAccount],
  },
  {
    name: 'storage-use',
    title: 'Storage that an account uses, and may use, in bytes',
    code: `access(all) fun main(address: Address): [UInt64] {
    let storage = getAccount(address).storage
    return [storage.used, storage.capacity]
}
`,
    arguments: [sampleAccount],
  },
  {
    name: 'item-ids',
    title: 'Ids of the NFTs in a public collection of an account',
    code: `import NonFungibleToken from ${service}

access(all) fun main(address: Address, path: String): [UInt64] {
    let collection = getAccount(address).capabilities
        .borrow<&{NonFungibleToken.Collection}>(PublicPath(identifier: path)!)
    return collection?.getIDs() ?? []
}
`,
    arguments: [sampleAccount, json.string('HeronsCollection')],
  },
  {
    name: 'flow-supply',
    title: 'Total supply of FLOW',
    code: `import FlowToken from 0x${systemAccounts.flowToken.hex}

access(all) fun main(): UFix64 {
    return FlowToken.totalSupply
}
`,
    arguments: [],
  },
  {
    name: 'total-staked',
    title: 'FLOW that is staked, of all nodes and delegators',
    code: `import FlowIDTableStaking from ${service}

access(all) fun main(): UFix64 {
    return FlowIDTableStaking.getTotalStaked()
}
`,
    arguments: [],
  },
  {
    name: 'block-height',
    title: 'Height of the block whose state is asked',
    code: `access(all) fun main(): UInt64 {
    return getCurrentBlock().height
}
`,
    arguments: [],
  },
]
