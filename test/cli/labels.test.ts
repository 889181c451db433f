import { expect } from 'chai'
import { isValidAddress } from '../../src/flow/address.ts'
import { knownAccounts, labelCategories } from '../../src/flow/core-contracts.ts'
import { listLabels, writeBuiltInLabels } from '../../src/explorer/admin/labels.ts'
import type { AccountLabel } from '../../src/explorer/admin/labels.ts'
import { runCommandLine } from '../support/command-line.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'

const flowToken = '0x1654653399040a61'

describe('account labels', () => {
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
  })

  after(() => database.drop())

  const run = async (...args: readonly string[]): Promise<{ code: unknown; text: string }> => {
    const { code, stdout, stderr } = await runCommandLine('labels', args, { DB_URL: database.url })
    return { code, text: stdout + stderr }
  }
  const ofFlowToken = async (): Promise<readonly AccountLabel[]> => listLabels(database.pool, flowToken)

  it('are unique per account and network, with valid categories', () => {
    for (const network of ['mainnet', 'testnet', 'emulator'] as const) {
      const known = knownAccounts(network)
      expect(new Set(known.map(({ address, tag }) => `${address} ${tag}`)).size, network).to.equal(known.length)
      for (const { address, tag, category } of known) {
        expect(isValidAddress(address, network), `${network} ${tag}`).to.equal(true)
        expect(tag).to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        expect(labelCategories).to.include(category)
      }
    }
  })

  it('replace outdated built-in labels of the same network', async () => {
    await database.pool.query(
      `insert into app.account_labels values ('${flowToken}', 'gone', 'Gone', 'service', true), ('${flowToken}', 'flow-token', 'Old', 'custom', true)`,
    )
    for (let time = 0; time < 2; time++) await writeBuiltInLabels(database.pool, 'mainnet')
    expect(await ofFlowToken()).to.deep.equal([
      { address: flowToken, tag: 'flow-token', label: 'Flow Token', category: 'service', isBuiltIn: true },
    ])
    expect(await listLabels(database.pool)).to.have.length(knownAccounts('mainnet').length)
  })

  it('can be added, listed and removed by operators, and override built-in labels', async () => {
    const added = await run(
      'add',
      '--address',
      '1654653399040A61',
      '--tag',
      'flow-token',
      '--label',
      'Our token',
      '--category',
      'defi',
    )
    expect(added).to.deep.equal({ code: 0, text: `${flowToken} has the label Our token.\n` })
    await writeBuiltInLabels(database.pool, 'mainnet')
    expect(await ofFlowToken()).to.deep.equal([
      { address: flowToken, tag: 'flow-token', label: 'Our token', category: 'defi', isBuiltIn: false },
    ])
    const { text } = await run('list', '--address', flowToken)
    expect(text.split('\n')[1]).to.match(/^0x1654653399040a61 +flow-token +defi +operator +Our token$/)
    expect(await run('remove', '--address', flowToken, '--tag', 'other')).to.deep.equal({
      code: 0,
      text: 'No matching labels.\n',
    })
    expect((await run('remove', '--address', flowToken)).text).to.equal('1 label removed.\n')
    expect(JSON.parse((await run('list', '--address', flowToken, '--json')).text)).to.deep.equal({ labels: [] })
  })

  it('reject invalid arguments', async () => {
    for (const [args, words] of [
      [['add', '--address', flowToken, '--tag', 'a'], '--label is missing'],
      [['add', '--address', '0x12', '--tag', 'a', '--label', 'b'], '16 hex digits'],
      [['add', '--address', flowToken, '--tag', 'A b', '--label', 'b'], '--tag must be'],
      [['remove'], '--address is missing'],
    ] as const) {
      const { code, text } = await run(...args)
      expect(code, args.join(' ')).to.equal(1)
      expect(text).to.include(words)
    }
  })
})
