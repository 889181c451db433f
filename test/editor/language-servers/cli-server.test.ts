import assert from 'node:assert/strict'
import { pino } from 'pino'
import { templates } from '../../../dashboards/editor/project/templates.ts'
import { createImportWorkspaces } from '../../../src/editor/imports/create-import-workspaces.ts'
import type { ContractWorkspaces } from '../../../src/editor/imports/create-import-workspaces.ts'
import { findLanguageServer, parserProgram } from '../../../src/editor/language-server/find-language-server.ts'
import type { ConnectionWorkspace } from '../../../src/editor/imports/connection-workspace.ts'
import type { LanguageServerProgram } from '../../../src/editor/language-server/find-language-server.ts'
import { cadenceCli } from './cadence-cli.ts'
import { startRecordedContracts } from './recorded-contracts.ts'
import type { RecordedContracts } from './recorded-contracts.ts'
import { ServerDriver } from './server-driver.ts'

const log = pino({ level: 'silent' })
const never = new AbortController().signal

const balance = `import FungibleToken from 0xee82856bf20e2aa6
import FlowToken from 0x0ae53cb6e3f42a79

access(all) fun main(address: Address): UFix64 {
    let seen = getAccount(address).capabilities.borrow<&{FungibleToken.Balance}>(/public/flowTokenBalance)!
    let made: @FlowToken.Vault <- FlowToken.createEmptyVault(vaultType: Type<@FlowToken.Vault>())
    let vault: @{FungibleToken.Vault} <- made
    destroy vault
    return seen.balance
}
`

describe('imports of the recorded chain', () => {
  let chain: RecordedContracts
  let workspaces: ContractWorkspaces
  let workspace: ConnectionWorkspace

  before(async () => {
    chain = await startRecordedContracts()
    workspaces = await createImportWorkspaces({ source: chain.source, log })
  })

  beforeEach(async () => {
    workspace = await workspaces.open('emulator')
  })

  afterEach(async () => workspace.close())

  after(async () => {
    await workspaces?.close()
    await chain?.[Symbol.asyncDispose]()
  })

  /** Files of the language server once all imports of a document are fetched. */
  async function prepared(path: string, text: string): Promise<string> {
    for (const contract of (await workspace.prepare(path, text)).missing)
      assert.ok(await workspace.fetch(contract, never), contract.name)
    const { text: last, missing } = await workspace.prepare(path, text)
    assert.deepEqual(missing, [])
    return last
  }

  describe('with the CLI checker', () => {
    let program: LanguageServerProgram
    let server: ServerDriver

    before(async function () {
      program = await findLanguageServer({ choice: 'cli', command: cadenceCli() ?? this.skip(), log })
    })

    beforeEach(async () => {
      server = await ServerDriver.start(program, workspace.folder)
    })

    afterEach(async () => server[Symbol.asyncDispose]())

    it('accept the templates of new files', async () => {
      for (const { path, code } of templates)
        assert.deepEqual(await server.open(path, await prepared(path, code)), [], path)
    })

    it('have types across contracts, without false errors', async () => {
      assert.deepEqual(await server.open('main.cdc', await prepared('main.cdc', balance)), [])
      assert.match((await server.hover('main.cdc', 5, 9)) ?? '', /FlowToken\.Vault/)
      assert.ok((await server.completions('main.cdc', 8, 16)).some(({ label }) => label === 'balance'))
      const wrong = balance.replace('return seen.balance', 'return seen.nothing')
      const faults = await server.change('main.cdc', await prepared('main.cdc', wrong), 2)
      assert.deepEqual(
        faults.map(({ range: { start }, message }) => [
          start.line,
          start.character,
          /has no member `nothing`/.test(message),
        ]),
        [[8, 16, true]],
      )
    })

    it('support several names per import, with types from other contracts', async () => {
      const text = `import NonFungibleToken, MetadataViews, ViewResolver from 0xf8d6e0586b0a20c7
import FungibleToken from 0xee82856bf20e2aa6
import "FlowToken"

access(all) fun main(): Type? {
    let resolver: &{ViewResolver.Resolver}? = nil
    let royalties: MetadataViews.Royalties? = resolver == nil ? nil : MetadataViews.getRoyalties(resolver!)
    let receiver: Capability<&{FungibleToken.Receiver}>? = royalties?.getRoyalties()?.removeFirst()?.receiver
    let vault <- FlowToken.createEmptyVault(vaultType: Type<@FlowToken.Vault>())
    let held: @{FungibleToken.Vault} <- vault
    destroy held
    return receiver?.getType()
}
`
      const faults = await server.open('scripts/deep/main.cdc', await prepared('scripts/deep/main.cdc', text))
      assert.deepEqual(
        faults.filter(({ severity }) => severity === 1).map(({ message }) => message),
        [],
      )
    })

    for (const name of [
      'FlowEpoch',
      'FlowStakingCollection',
      'NFTStorefrontV2',
      'FlowTransactionScheduler',
      'ScopedFTProviders',
      'LockedTokens',
    ]) {
      it(`check ${name} with all its imports and account storage`, async () => {
        const text = await prepared(
          'main.cdc',
          `import ${name} from 0xf8d6e0586b0a20c7\naccess(all) fun main(): Type { return Type<${name}>() }\n`,
        )
        assert.deepEqual(await server.open('main.cdc', text), [])
      })
    }

    it('resolve go-to-definition into contracts', async () => {
      await server.open('main.cdc', await prepared('main.cdc', balance))
      for (const [piece, name, declared] of [
        ['Balance}>', 'FungibleToken', 'interface Balance'],
        ['createEmptyVault', 'FlowToken', 'fun createEmptyVault'],
        ['FlowToken from', 'FlowToken', 'contract FlowToken'],
      ] as const) {
        const line = balance.slice(0, balance.indexOf(piece)).split('\n').length - 1
        const character = balance.split('\n')[line]?.indexOf(piece) ?? 0
        const answer = await server.definition('main.cdc', line, character + 1)
        const place = await workspace.locate('main.cdc', { line, character: character + 1 }, answer?.range)
        assert.ok(place !== undefined && 'contract' in place, piece)
        assert.equal(place.contract.name, name)
        const code = (await workspace.fetch(place.contract, never))?.code.split('\n')[place.range.start.line] ?? ''
        assert.match(code, new RegExp(declared))
        assert.equal(code.slice(place.range.start.character, place.range.end.character), declared.split(' ')[1])
      }
      const own = await server.definition('main.cdc', 8, 12)
      assert.deepEqual(await workspace.locate('main.cdc', { line: 8, character: 12 }, own?.range), {
        document: 'main.cdc',
        range: own?.range,
      })
    })

    it('include other open documents', async () => {
      await server.open(
        'contracts/Own.cdc',
        await prepared('contracts/Own.cdc', 'access(all) contract Own { access(all) fun one(): Int { return 1 } }'),
      )
      const user = 'import "Own"\naccess(all) fun main(): Int { return Own.one() }'
      assert.deepEqual(await server.open('main.cdc', await prepared('main.cdc', user)), [])
      await server.change(
        'contracts/Own.cdc',
        await prepared('contracts/Own.cdc', 'access(all) contract Own { access(all) fun two(): Int { return 1 } }'),
        2,
      )
      assert.deepEqual(workspace.importersOf('contracts/Own.cdc'), ['main.cdc'])
      const faults = await server.change('main.cdc', await prepared('main.cdc', user), 2)
      assert.match(faults[0]?.message ?? '', /no member `one`/)
    })
  })

  it('support completion and go-to-definition in the parser server', async () => {
    await using server = await ServerDriver.start(parserProgram(), workspace.folder)
    assert.deepEqual(await server.open('main.cdc', await prepared('main.cdc', balance)), [])
    const labels = (await server.completions('main.cdc', 5, balance.split('\n')[5]?.indexOf('createEmpty') ?? 0)).map(
      ({ label }) => label,
    )
    assert.ok(labels.includes('createEmptyVault') && labels.includes('totalSupply'))
    const definition = await server.definition('main.cdc', 1, 8)
    const path = server.path(definition?.uri ?? '')
    assert.deepEqual(workspace.describe(path, definition?.range.start.line ?? 0)?.contract, {
      address: '0ae53cb6e3f42a79',
      name: 'FlowToken',
    })
    // One call per account, regardless of the number of its imported contracts.
    assert.equal(new Set(chain.requested).size, chain.requested.length)
  })
})
