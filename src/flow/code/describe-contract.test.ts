import { expect } from 'chai'
import { describeContract } from './describe-contract.ts'

const [fungible, nonFungible] = ['f233dcee88fe0abe', '1d7e57aa55817448']

describe('describeContract', () => {
  it('derives the kind from the conformances', () => {
    const imports = `import FungibleToken from 0x${fungible}\nimport NonFungibleToken from 0x${nonFungible}\n`
    for (const [declaration, kind] of [
      ['access(all) contract A: FungibleToken {}', 'FT'],
      ['pub contract A : NonFungibleToken{}', 'NFT'],
      ['access(all)\ncontract A\n  : ViewResolver,\n  // a comment: FungibleToken\n  NonFungibleToken\n{}', 'NFT'],
      ['access(all) contract A: Mine, /* , */ FungibleToken {}', 'FT'],
      ['access(all) contract A {}', 'CONTRACT'],
      ['access(all) contract A: ViewResolver { resource B: FungibleToken {} }', 'CONTRACT'],
      ['access(all) contract A { resource Vault: FungibleToken.Vault {} }', 'CONTRACT'],
      ['access(all) contract interface A: NonFungibleToken {}', 'CONTRACT'],
      ['access(all) contract A { let s: String; init() { self.s = "contract A: FungibleToken {" } }', 'CONTRACT'],
      ['access(all) contract A: FungibleTokenX {}', 'CONTRACT'],
    ] as const) {
      expect(describeContract(imports + declaration, 'mainnet').kind, declaration).to.equal(kind)
    }
  })

  it('recognizes import aliases of the standards and ignores lookalikes', () => {
    const kind = (code: string): string => describeContract(code, 'mainnet').kind
    expect(kind('import "FungibleToken"\naccess(all) contract A: FungibleToken {}')).to.equal('FT')
    expect(kind(`import FungibleToken as FT from 0x${fungible}\naccess(all) contract A: FT {}`)).to.equal('FT')
    const declaration = 'access(all) contract A: FungibleToken {}'
    expect(kind(`import B as FungibleToken from 0x${fungible}\n${declaration}`)).to.equal('CONTRACT')
    expect(kind(`import FungibleToken from 0x01\n${declaration}`)).to.equal('CONTRACT')
    expect(kind(declaration)).to.equal('CONTRACT')
  })

  it('lists imports in every spelling', () => {
    const code = `
      import FungibleToken, FungibleTokenMetadataViews from 0x${fungible}
      import "Burner"
      import Crypto
      import /* from 0x3 */ B as C
        from 0x02
      import B from 0x2
      access(all) contract A { /* import D from 0x4 */ }`
    expect(describeContract(code, 'mainnet').imports).to.deep.equal([
      'A.0000000000000002.B',
      'A.e467b9dd11fa00df.Crypto',
      `A.${fungible}.Burner`,
      `A.${fungible}.FungibleToken`,
      `A.${fungible}.FungibleTokenMetadataViews`,
    ])
  })
})
