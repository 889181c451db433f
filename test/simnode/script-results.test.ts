import { expect } from 'chai'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import type { ClosableChainReader } from '../../src/access/create-chain-reader.ts'
import { loadPresentScripts } from '../../src/explorer/present-chain.ts'
import { StateNotServedError } from '../../src/flow/chain-reader.ts'
import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import { inNetwork } from '../../src/flow/core-contracts.ts'
import { callInput, textResult, uintResult } from '../../src/flow/evm/contract-results.ts'
import type { PayloadFields, PayloadValue } from '../../src/flow/payload-value.ts'
import { ufix64Text } from '../../src/flow/tokens/ufix64.ts'
import { loadScripts } from '../../src/farm/enrichment/service.ts'
import { coas, codeOf, evmContracts, evmUsers } from '../../simnode/ledger/evm/evm-world.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { nodeIdOf } from '../../simnode/ledger/staking/stakers.ts'
import { collections } from '../../simnode/ledger/world/collections.ts'
import { userOfTurn } from '../../simnode/ledger/world/users.ts'
import { flow, usdc } from '../../simnode/ledger/world/tokens.ts'

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const head = 1210

describe('scripts of the simulated chain', () => {
  let node: LedgerNode
  let reader: ClosableChainReader
  let scripts: Awaited<ReturnType<typeof loadScripts>>
  const present = loadPresentScripts()

  before(async () => {
    node = await startLedgerNode({ seed: 8, head })
    reader = createChainReader({ liveEndpoints: [node.endpoint], log: quiet })
    scripts = await loadScripts('emulator')
  })

  after(async () => {
    await reader.close()
    await node.stop()
  })

  it('return the account contents at the requested height', async () => {
    const [user] = [userOfTurn(0)]
    for (const height of [0, 57, 1105, head]) {
      const overview = (await reader.executeScript(
        present('account_storage'),
        [cadence.address(`0x${user.hex}`), cadence.int(100)],
        { height },
      )) as PayloadFields
      const balance = ufix64Text(node.chain.stateAt(height).vaults.balance(flow, user))
      expect({ balance: overview['balance'], height: overview['height'] }).to.deep.equal({
        balance,
        height: String(height),
      })
      expect(overview['storagePaths']).to.include.members([
        flow.storagePath,
        usdc.storagePath,
        collections[0]?.storagePath,
      ])
    }
    expect(
      await reader.executeScript(present('storage_item'), [
        cadence.address(`0x${user.hex}`),
        cadence.string('USDCVault'),
      ]),
    ).to.equal(usdc.vaultType)
  })

  it('list the items of a holder page by page, with their metadata', async () => {
    const [collection] = collections
    if (collection === undefined) throw new Error('there are collections')
    const { items } = node.chain.stateAt(1150)
    const holder = items.owner(collection, 1)
    const held = items.idsOf(collection, holder).map(String)
    const prefix = collection.itemType.replace(/NFT$/, '')
    const page = (from: number, count: number): Promise<PayloadFields> =>
      reader.executeScript(
        scripts('nft_holder_ids'),
        [
          cadence.address(`0x${holder.hex}`),
          cadence.string(prefix),
          cadence.string(collection.itemType),
          cadence.int(from),
          cadence.int(count),
        ],
        { height: 1150 },
      ) as Promise<PayloadFields>
    const [first, rest] = [await page(0, 1), await page(1, 1000)]
    expect([...(first['ids'] as string[]), ...(rest['ids'] as string[])]).to.deep.equal(held)
    expect(first).to.include({ collections: '1', total: String(held.length) })
    const list = (value: string) => cadence.array([cadence.string(value)])
    const [reported] = (await reader.executeScript(
      scripts('nft_items'),
      [
        cadence.array([cadence.address(`0x${holder.hex}`)]),
        list(''),
        list(prefix),
        list(collection.itemType),
        cadence.array([cadence.uint64(held[0] ?? 0)]),
      ],
      { height: 1150 },
    )) as PayloadFields[]
    expect(reported).to.include({ serialNumber: held[0] })
    expect(
      await reader.executeScript(
        scripts('nft_holder_check'),
        [
          cadence.address(`0x${holder.hex}`),
          cadence.string(prefix),
          cadence.string(collection.itemType),
          cadence.array([cadence.uint64(held[0] ?? 0), cadence.uint64(999_999_999)]),
        ],
        { height: 1150 },
      ),
    ).to.deep.equal([true, false])
  })

  it('return the state and results of EVM contracts', async () => {
    const { evm } = node.chain.stateAt(head)
    const [user] = evmUsers
    const coin = evmContracts.stableCoin.toString('hex')
    const address = user?.address.toString('hex') ?? ''
    const account = async (of: string): Promise<PayloadValue> =>
      reader.executeScript(inNetwork(present('evm_account'), 'emulator'), [cadence.string(of), cadence.int(10_000)])
    expect(await account(address)).to.deep.equal({
      balance: `${evm.balance(address)}`,
      nonce: `${evm.nonce(address)}`,
      codeSize: '0',
      code: '',
      height: `${head}`,
    })
    expect(await account(coin)).to.include({ balance: '0', nonce: '1', code: codeOf(coin).toString('hex') })
    expect(await account('99'.repeat(20))).to.include({ balance: '0', nonce: '0', codeSize: '0' })
    const [first, second] = coas
    const accounts = [first?.owner.hex, flow.contract.hex, second?.owner.hex]
    expect(
      await reader.executeScript(inNetwork(present('coa_addresses'), 'emulator'), [
        cadence.array(accounts.map((hex) => cadence.address(`0x${hex}`))),
      ]),
    ).to.deep.equal([first?.address.toString('hex'), null, second?.address.toString('hex')])
    const inputs = [
      callInput('balanceOf(address)', BigInt(`0x${address}`)),
      callInput('symbol()'),
      callInput('unknown()'),
    ]
    const results = (await reader.executeScript(scripts('evm_calls'), [
      cadence.array(inputs.map(() => cadence.string(coin))),
      cadence.array(inputs.map((input) => cadence.string(input))),
      cadence.uint64(100_000),
      cadence.int(96),
    ])) as (string | null)[]
    expect([uintResult(results[0]), textResult(results[1], 100), results[2]]).to.deep.equal([
      evm.tokens(coin, address),
      'USDC',
      null,
    ])
    const call = async (input: string): Promise<PayloadValue> =>
      reader.executeScript(inNetwork(present('evm_call'), 'emulator'), [
        cadence.string(coin),
        cadence.string(input),
        cadence.uint64(100_000),
        cadence.int(96),
      ])
    expect(await call(inputs[0] ?? '')).to.include({ isSuccessful: true, data: results[0], height: `${head}` })
    expect(await call(inputs[2] ?? '')).to.include({ isSuccessful: false, errorMessage: 'execution reverted' })
  })

  it('return tokens, the epoch and the nodes', async () => {
    const state = node.chain.stateAt(head)
    const tokens = [flow, usdc]
    const reported = (await reader.executeScript(scripts('ft_tokens'), [
      cadence.array(tokens.map(({ contract }) => cadence.address(`0x${contract.hex}`))),
      cadence.array(tokens.map(({ name }) => cadence.string(name))),
      cadence.array(tokens.map(({ vaultType }) => cadence.string(vaultType))),
    ])) as PayloadFields[]
    expect(reported.map((token) => [token['symbol'], token['totalSupply']])).to.deep.equal(
      tokens.map((token) => [token.symbol, ufix64Text(state.supplies.of(token))]),
    )
    const network = (await reader.executeScript(scripts('network_state'), [])) as PayloadFields
    expect(network).to.include({
      epoch: '6',
      height: String(head),
      totalStaked: ufix64Text(state.staking.totalStaked()),
    })
    expect(network['nodeIds']).to.deep.equal(
      [nodeIdOf(0), nodeIdOf(1), nodeIdOf(2)].slice(0, state.staking.nodes.length),
    )
    const [first] = (await reader.executeScript(scripts('staking_nodes'), [
      cadence.array([cadence.string(nodeIdOf(0))]),
    ])) as PayloadFields[]
    const [staker] = state.staking.nodes
    if (staker === undefined) throw new Error('a node is registered')
    expect(first).to.include({ tokensStaked: ufix64Text(state.staking.of(staker).staked), delegatorCount: '2' })
  })

  it('have no state above the head', async () => {
    const error: unknown = await reader
      .executeScript(scripts('network_state'), [], { height: head + 1 })
      .catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(StateNotServedError)
  })
})
