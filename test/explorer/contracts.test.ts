import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { List } from '../../src/explorer/paging/pages.ts'
import type { Contract } from '../../src/explorer/contracts/schema.ts'
import type { ContractDependencies } from '../../src/explorer/contracts/dependencies.ts'
import { generatedCode, generateContracts, storeContracts } from '../support/contract-rows.ts'
import type { GeneratedContract } from '../support/contract-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('lists of contracts', () => {
  const all = generateContracts(130)
  const present = all.filter(({ isRemoved }) => !isRemoved)
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await storeContracts(database.pool, all)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  async function pages(query: string, limit = 17): Promise<Contract[]> {
    const items: Contract[] = []
    let cursor = ''
    do {
      const list = await api.json<List<Contract>>(
        `/flow/contract?${query}&limit=${limit}&cursor=${encodeURIComponent(cursor)}`,
      )
      items.push(...list.data)
      cursor = list.cursor
    } while (cursor !== '')
    return items
  }

  function dependentsOf(contract: string): GeneratedContract[] {
    return present.filter(({ imports, isUnknown }) => !isUnknown && imports.includes(contract))
  }

  type Compare = (a: GeneratedContract, b: GeneratedContract) => number
  const text = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
  const nameOf = (one: GeneratedContract): string => one.contract.split('.')[2] ?? ''
  const byContract: Compare = (a, b) => text(a.contract, b.contract)
  const placeOf = new Map(all.map((one, i) => [one.contract, i]))
  const usage: Compare = (a, b) => dependentsOf(b.contract).length - dependentsOf(a.contract).length || byContract(a, b)
  const created: Compare = (a, b) => (b.created ?? 0) - (a.created ?? 0) || byContract(a, b)
  const updated: Compare = (a, b) =>
    b.updated - a.updated || (placeOf.get(b.contract) ?? 0) - (placeOf.get(a.contract) ?? 0)
  const name: Compare = (a, b) => text(nameOf(a), nameOf(b)) || byContract(a, b)

  const orders: Readonly<Record<string, readonly [desc: Compare, usual: 'asc' | 'desc']>> = {
    usage: [usage, 'desc'],
    import: [usage, 'desc'],
    created_at: [created, 'desc'],
    updated_at: [updated, 'desc'],
    valid_from: [updated, 'desc'],
    activity: [updated, 'desc'],
    address: [(a, b) => byContract(b, a), 'asc'],
    name: [(a, b) => name(b, a), 'asc'],
  }

  function expected(
    order: string,
    direction: 'asc' | 'desc',
    selected: readonly GeneratedContract[] = present,
  ): string[] {
    const [descending] = orders[order] ?? [usage]
    const sorted = selected.toSorted(direction === 'desc' ? descending : (a, b) => descending(b, a))
    // Unknown values come last in both directions.
    const isLast = (one: GeneratedContract): boolean => order === 'created_at' && one.created === null
    return [...sorted.filter((one) => !isLast(one)), ...sorted.filter(isLast)].map(({ contract }) => contract)
  }

  for (const [order, [, usual]] of Object.entries(orders)) {
    it(`pages through all by ${order} in both directions, without removed ones`, async () => {
      for (const direction of ['asc', 'desc'] as const) {
        const listed = await pages(`sort=${order}&sort_order=${direction}`)
        expect(
          listed.map(({ id }) => id),
          direction,
        ).to.deep.equal(expected(order, direction))
      }
      const first = await api.json<List<Contract>>(`/flow/contract?sort=${order}`)
      expect(first.data.map(({ id }) => id)).to.deep.equal(expected(order, usual).slice(0, 25))
    })
  }

  it('combines filters with every order', async () => {
    const address = '0x0000000000001003'
    const filters: readonly (readonly [string, (one: GeneratedContract) => boolean])[] = [
      ['kind=FT', ({ kind, isUnknown }) => kind === 'FT' && !isUnknown],
      [`address=${address}`, ({ contract }) => contract.includes(address.slice(2))],
      ['name=TOKEN_1', (one) => nameOf(one).startsWith('Token_1')],
      ['identifier=1003.Thing_13', ({ contract }) => contract.endsWith('1003.Thing_13')],
      ['identifier=001003', ({ contract }) => contract.includes('001003')],
      ['identifier=0x1003.Thing_12', ({ contract }) => contract === 'A.0000000000001003.Thing_12'],
      [
        'kind=NFT&name=2',
        ({ kind, contract, isUnknown }) => kind === 'NFT' && !isUnknown && (contract.split('_')[1] ?? '').includes('2'),
      ],
      ['name=%25', () => false],
      ['name=_', ({ contract }) => contract.includes('_')],
    ]
    for (const [query, matches] of filters) {
      for (const order of ['usage', 'created_at', 'updated_at', 'address', 'name']) {
        const listed = await pages(`sort=${order}&${query}`, 9)
        const [, usual] = orders[order] ?? [usage, 'desc']
        expect(
          listed.map(({ id }) => id),
          `${order} ${query}`,
        ).to.deep.equal(expected(order, usual, present.filter(matches)))
      }
    }
  })

  it('returns indexed data, and source only on request', async () => {
    const [bare] = await pages('identifier=A.0000000000001000.Token_0')
    expect(bare).to.include({
      id: 'A.0000000000001000.Token_0',
      identifier: 'A.0000000000001000.Token_0',
      address: '0x0000000000001000',
      name: 'Token_0',
      kind: 'FT',
      status: 'active',
      created_height: null,
      valid_from: 2000,
      source: 'index',
      imported_count: dependentsOf('A.0000000000001000.Token_0').length,
    })
    expect(bare?.imported_count).to.equal(bare?.import_count).and.be.greaterThan(5)
    expect(bare).to.not.have.property('body')
    const [unknown] = all.filter(({ isUnknown, isRemoved }) => isUnknown && !isRemoved)
    for (const one of await pages('body=true')) {
      const made = all[placeOf.get(one.id) ?? -1]
      expect(one.body, one.id).to.equal(made?.isUnknown === true ? null : made && generatedCode(made))
    }
    const [shown] = await pages(`identifier=${unknown?.contract}`)
    expect(shown).to.include({ kind: null, imports: null })
  })

  it('returns one contract with its source, including removed ones, and those of an account', async () => {
    const [removed] = all.filter(({ isRemoved }) => isRemoved)
    const { data } = await api.json<List<Contract>>(`/flow/contract/${removed?.contract}`)
    const code = removed && generatedCode(removed)
    expect(data).to.have.length(1)
    expect(data[0]).to.include({ id: removed?.contract, status: 'removed', body: code })
    expect(data[0]?.code_hash).to.equal(
      createHash('sha3-256')
        .update(code ?? '')
        .digest('hex'),
    )
    const ofAccount = await api.json<List<Contract>>('/flow/contract/0x1003')
    expect(ofAccount.data.map(({ id }) => id)).to.deep.equal(
      expected(
        'address',
        'asc',
        present.filter(({ contract }) => contract.includes('1003.')),
      ),
    )
    const response = await api.get('/flow/contract/0x9999')
    expect([response.status, ((await response.json()) as { code: string }).code]).to.deep.equal([
      404,
      'unknown-contract',
    ])
  })

  it('returns imports and pages dependents in order', async () => {
    const root = 'A.0000000000001000.Token_0'
    const dependents: string[] = []
    let cursor = ''
    do {
      const list = await api.json<List<ContractDependencies>>(
        `/flow/contract/${root}/dependencies?limit=4&cursor=${cursor}`,
      )
      expect(list.data).to.have.length(1)
      expect(list.data[0]?.dependent_count).to.equal(dependentsOf(root).length)
      dependents.push(...(list.data[0]?.dependents.map(({ identifier }) => identifier) ?? []))
      expect(list.has_more).to.equal(list.cursor !== '')
      cursor = list.cursor
    } while (cursor !== '')
    expect(dependents).to.deep.equal(
      dependentsOf(root)
        .toSorted(byContract)
        .map(({ contract }) => contract),
    )
  })

  it('returns the import graph up to the requested depth', async () => {
    const root = all[104]?.contract ?? ''
    for (const depth of [1, 2, 3]) {
      const {
        data: [shown],
      } = await api.json<List<ContractDependencies>>(`/flow/contract/${root}/dependencies?depth=${depth}`)
      const edges = new Set<string>()
      let level = new Set([root])
      const seen = new Set(level)
      for (let i = 0; i < depth; i++) {
        const next = new Set<string>()
        for (const source of level) {
          const made = all[placeOf.get(source) ?? -1]
          if (made === undefined || made.isRemoved || made.isUnknown) continue
          for (const target of made.imports) {
            edges.add(`${source}>${target}`)
            if (!seen.has(target)) next.add(target)
          }
        }
        for (const one of next) seen.add(one)
        level = next
      }
      expect(
        shown?.graph.edges.map(({ source, target }) => `${source}>${target}`),
        String(depth),
      ).to.have.members([...edges])
      expect(shown?.graph.nodes.map(({ identifier }) => identifier)).to.deep.equal([...seen].toSorted())
      expect(shown?.graph).to.include({ root, truncated: false })
      expect(shown?.imports.map(({ identifier }) => identifier)).to.deep.equal(all[104]?.imports)
    }
  })

  it('rejects invalid contracts, orders and cursors', async () => {
    await expectProblem(api, '/flow/contract?sort=size', 'sort', 'usage')
    await expectProblem(api, '/flow/contract?sort_order=up', 'sort_order', 'desc')
    await expectProblem(api, '/flow/contract?kind=X', 'kind', 'FT')
    await expectProblem(api, '/flow/contract?body=import', 'body', 'true or false')
    await expectProblem(api, '/flow/contract?cursor=5', 'cursor', 'A.<address>.<name>')
    await expectProblem(api, '/flow/contract?cursor=A.0000000000001000.X', 'cursor', 'order')
    await expectProblem(api, '/flow/contract?sort=name&cursor=5:A.0000000000001000.X', 'cursor', 'order')
    await expectProblem(
      api,
      '/flow/contract?sort=updated_at&cursor=1:3000000000:1:A.0000000000001000.X',
      'cursor',
      'order',
    )
    await expectProblem(api, '/flow/contract/x.y', 'identifier', 'A.<address>.<name>')
    await expectProblem(api, '/flow/contract/A.1000.Token_0/version/0', 'version', '1')
    await expectProblem(api, '/flow/contract/A.1000.Token_0/dependencies?depth=4', 'depth', '3')
    for (const path of ['/version', '/version/1', '/dependencies', '/events', '/scripts']) {
      expect((await api.get(`/flow/contract/A.1000.Missing${path}`)).status, path).to.equal(404)
    }
    await expectProblem(api, '/flow/contract/A.1000.Token_0.Something', 'identifier', 'A.<address>.<name>')
    await expectProblem(api, '/flow/contract/A.1000.Token_0.Something/version', 'identifier', 'without a type')
    expect((await api.get('/flow/contract/A.1000.Token_0.Vault')).status).to.equal(200)
  })
})
