import assert from 'node:assert/strict'
import fc from 'fast-check'
import { readChainContract } from './contract-library.ts'
import type { ChainContract } from './contract-library.ts'
import { FileNames } from './file-store.ts'
import { importStatements, sourceTokens } from './import-statements.ts'
import { layOutContracts } from './lay-out-contracts.ts'
import type { ContractFile } from './lay-out-contracts.ts'

const one = '1111111111111111'
const two = '2222222222222222'

function library(
  ...contracts: readonly (readonly [address: string, name: string, code: string])[]
): Map<string, ChainContract> {
  return new Map(
    contracts.map(([address, name, code]) => {
      const contract = readChainContract({ address, name, code })
      return [contract.id, contract]
    }),
  )
}

function layOut(
  contracts: ReadonlyMap<string, ChainContract>,
  together: readonly (readonly string[])[] = [],
): Map<string, ContractFile> {
  const names = new FileNames()
  return layOutContracts(contracts, together, (text) => names.nameOf(text))
}

const pathsOf = (text: string) => importStatements(sourceTokens(text)).map(({ location }) => location.value)

describe('contract files', () => {
  it('hold one contract each, with file imports', () => {
    const files = layOut(
      library(
        [one, 'A', 'import B from 0x2222222222222222\naccess(all) contract A {}'],
        [two, 'B', 'access(all) contract B {}'],
      ),
    )
    const [a, b] = [files.get(`${one}.A`), files.get(`${two}.B`)]
    assert.notEqual(a?.name, b?.name)
    assert.deepEqual(pathsOf(a?.text ?? ''), [`./${b?.name}`])
    assert.equal(a?.text.split('\n')[1], 'access(all) contract A {}')
  })

  it('separate contracts of the same name', () => {
    const files = layOut(
      library(
        [one, 'A', 'access(all) contract A { let one: Int }'],
        [two, 'A', 'access(all) contract A { let two: Int }'],
      ),
    )
    assert.match(files.get(`${one}.A`)?.text ?? '', /one/)
    assert.match(files.get(`${two}.A`)?.text ?? '', /two/)
  })

  it('join contracts of one statement, with each import once and known line offsets', () => {
    const base = [two, 'Base', 'access(all) contract Base {}'] as const
    const files = layOut(
      library(
        base,
        [one, 'A', 'import Base from 0x2222222222222222\naccess(all) contract A {}'],
        [one, 'B', 'import A from 0x1111111111111111\nimport Base from 0x2222222222222222\naccess(all) contract B {}'],
      ),
      [[`${one}.A`, `${one}.B`]],
    )
    const file = files.get(`${one}.A`)
    assert.equal(file, files.get(`${one}.B`))
    assert.deepEqual(pathsOf(file?.text ?? ''), [`./${files.get(`${two}.Base`)?.name}`])
    for (const { name, firstLine } of file?.parts ?? []) {
      assert.equal(
        file?.text.split('\n').findIndex((line) => line.includes(`contract ${name} `)),
        firstLine + (name === 'A' ? 1 : 2),
      )
    }
  })

  it('join contracts of an account that share access(account) members', () => {
    const files = layOut(
      library(
        [one, 'A', 'access(all) contract A { access(account) fun f() {} }'],
        [one, 'B', 'import A from 0x1111111111111111\naccess(all) contract B {}'],
        [two, 'C', 'import A from 0x1111111111111111\naccess(all) contract C {}'],
      ),
    )
    assert.equal(files.get(`${one}.A`), files.get(`${one}.B`))
    assert.notEqual(files.get(`${one}.A`), files.get(`${two}.C`))
  })

  it('join contracts that would otherwise import each other', () => {
    const files = layOut(
      library(
        [one, 'A', 'import C from 0x2222222222222222\naccess(all) contract A {}'],
        [one, 'B', 'access(all) contract B {}'],
        [two, 'C', 'import B from 0x1111111111111111\naccess(all) contract C {}'],
      ),
      [[`${one}.A`, `${one}.B`]],
    )
    assert.equal(new Set(files.values()).size, 1)
    assert.deepEqual(pathsOf(files.get(`${two}.C`)?.text ?? ''), [])
  })

  it('do not join contracts if a name would be ambiguous', () => {
    const contracts = library(
      [one, 'A', 'import X from 0x1111111111111111\naccess(all) contract A {}'],
      [one, 'B', 'import X from 0x2222222222222222\naccess(all) contract B {}'],
      [one, 'X', 'access(all) contract X { let one: Int }'],
      [two, 'X', 'access(all) contract X { let two: Int }'],
    )
    const files = layOut(contracts, [[`${one}.A`, `${one}.B`]])
    assert.notEqual(files.get(`${one}.A`), files.get(`${one}.B`))
    assert.deepEqual(pathsOf(files.get(`${one}.A`)?.text ?? ''), [`./${files.get(`${one}.X`)?.name}`])
    assert.deepEqual(pathsOf(files.get(`${one}.B`)?.text ?? ''), [`./${files.get(`${two}.X`)?.name}`])
  })

  it('support cycles of the same name and self-imports', () => {
    const files = layOut(
      library(
        [one, 'A', 'import A from 0x2222222222222222\naccess(all) contract A {}'],
        [two, 'A', 'import A from 0x1111111111111111\naccess(all) contract A {}'],
      ),
    )
    assert.equal(files.size, 2)
    assert.equal(layOut(library([one, 'S', 'import S from 0x1111111111111111\naccess(all) contract S {}'])).size, 1)
  })

  it('are independent of the order, and every import path resolves to a declaring file, for any contracts', () => {
    const id = fc.record({ address: fc.constantFrom(one, two), name: fc.constantFrom('A', 'B', 'C', 'D', 'E') })
    const contract = fc.record({
      id,
      imports: fc.array(
        fc.record({
          address: fc.constantFrom(one, two),
          names: fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D', 'E'), { minLength: 1, maxLength: 3 }),
        }),
        { maxLength: 3 },
      ),
      isShared: fc.boolean(),
    })
    fc.assert(
      fc.property(
        fc.uniqueArray(contract, { selector: ({ id: { address, name } }) => address + name, maxLength: 10 }),
        (contracts) => {
          const rows = contracts.map(
            ({ id: { address, name }, imports, isShared }) =>
              [
                address,
                name,
                `${imports.map((one) => `import ${one.names.join(', ')} from 0x${one.address}`).join('\n')}\naccess(all) contract ${name} { ${isShared ? 'access(account) let x: Int' : ''} }`,
              ] as const,
          )
          const files = layOut(library(...rows))
          assert.equal(files.size, rows.length)
          const reversed = layOut(library(...rows.toReversed()))
          const byName = new Map([...files.values()].map((file) => [file.name, file]))
          for (const [key, file] of files) {
            assert.equal(reversed.get(key)?.text, file.text)
            for (const { names, location } of importStatements(sourceTokens(file.text))) {
              if (location.kind !== 'string') continue
              const target = byName.get(location.value.slice(2))
              assert.notEqual(target, file)
              for (const { name } of names) assert.match(target?.text ?? '', new RegExp(`contract ${name} `))
            }
          }
        },
      ),
      { numRuns: 300 },
    )
  })

  it('have distinct names for distinct texts', () => {
    const names = new FileNames()
    const seen = new Set<string>()
    for (let i = 0; i < 5000; i++) seen.add(names.nameOf(`text ${i}`))
    assert.equal(seen.size, 5000)
    assert.equal(names.nameOf('text 7'), names.nameOf('text 7'))
    for (const name of seen) assert.match(name, /^[0-9a-z]{6,8}\.cdc$/)
  })
})
