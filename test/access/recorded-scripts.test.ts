import { expect } from 'chai'
import { createChainReader } from '../../src/access/create-chain-reader.ts'
import type { ClosableChainReader } from '../../src/access/create-chain-reader.ts'
import { loadPresentScripts } from '../../src/explorer/present-chain.ts'
import { ChainCallFailedError, ChainUnavailableError } from '../../src/flow/chain-reader.ts'
import { cadence } from '../../src/flow/json-cdc/cadence-argument.ts'
import type { PayloadValue } from '../../src/flow/payload-value.ts'
import { loadScripts } from '../../src/farm/enrichment/service.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'
import { truthOf } from '../support/recording-annotations.ts'
import type { Truth } from '../support/recording-annotations.ts'
import { startRecordedNode } from '../support/replay.ts'

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * Recorded results of our scripts must match those of independent scripts and belong to the current
 * scripts.
 */
describe('scripts of a recorded chain', () => {
  let node: ReplayNode
  let reader: ClosableChainReader
  let truth: Truth
  const present = loadPresentScripts()

  before(async () => {
    node = await startRecordedNode('base')
    reader = createChainReader({ liveEndpoints: [node.endpoint], log: quiet })
    truth = await truthOf('base')
  })

  after(async () => {
    await reader.close()
    await node.stop()
  })

  it('return the stored items of accounts and their types', async () => {
    for (const [address, account] of Object.entries(truth.accounts)) {
      const overview = await reader.executeScript(present('account_storage'), [
        cadence.address(address),
        cadence.int(2000),
      ])
      const { balance, height, storagePaths, publicPaths } = overview as Record<string, string[]>
      expect({ balance, height }, address).to.deep.equal({
        balance: account.flow_balance,
        height: String(truth.height),
      })
      const types = new Map([
        ...account.other_storage,
        ...account.vaults.map(({ path, type }) => [path, type] as const),
        ...account.nfts.map(({ path, type }) => [path, type.replace(/NFT$/, 'Collection')] as const),
        ...account.coas.map(({ path }) => [path, 'A.f8d6e0586b0a20c7.EVM.CadenceOwnedAccount'] as const),
      ])
      expect(storagePaths, address).to.have.members([...types.keys()])
      expect(publicPaths, address).to.have.members(account.public.map(([path]) => path))
      for (const [path, type] of types) {
        const reported = await reader.executeScript(present('storage_item'), [
          cadence.address(address),
          cadence.string(path.replace('/storage/', '')),
        ])
        expect(reported, `${address} ${path}`).to.equal(type.replace(' (empty)', ''))
      }
    }
  })

  it('accept lists of any length and reject unrecorded calls', async () => {
    const scripts = await loadScripts('emulator')
    const ask = (...tokens: readonly (readonly [address: string, name: string])[]): Promise<PayloadValue> =>
      reader.executeScript(scripts('ft_tokens'), [
        cadence.array(tokens.map(([address]) => cadence.address(address))),
        cadence.array(tokens.map(([, name]) => cadence.string(name))),
        cadence.array(tokens.map(([address, name]) => cadence.string(`A.${address.slice(2)}.${name}.Vault`))),
      ])
    const pebble = ['0x179b6b1cb6755e31', 'PebbleCoin'] as const
    const flow = ['0x0ae53cb6e3f42a79', 'FlowToken'] as const
    for (const requested of [[pebble], [pebble, flow], [flow, pebble, flow]]) {
      const answers = (await ask(...requested)) as unknown as readonly { symbol: string; totalSupply: string }[]
      expect(answers.map(({ symbol }) => symbol)).to.deep.equal(
        requested.map(([, name]) => (name === 'FlowToken' ? 'FLOW' : 'PEBB')),
      )
      for (const [i, [address, name]] of requested.entries()) {
        expect(answers[i]?.totalSupply).to.equal(truth.total_supply[`A.${address.slice(2)}.${name}.Vault`])
      }
    }
    for (const unknown of [
      ask(pebble, ['0x179b6b1cb6755e31', 'Nothing']),
      reader.executeScript('access(all) fun main() {}', []),
    ]) {
      const error: unknown = await unknown.catch((thrown: unknown) => thrown)
      expect(error instanceof ChainCallFailedError || error instanceof ChainUnavailableError, String(error)).to.equal(
        true,
      )
    }
  })
})
