import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { SolidityCompiler } from '../../src/explorer/evm/verification/compiler.ts'
import { constructorArguments } from '../../src/flow/evm/bytecode-match.ts'
import { codeOf, creationInputOf, evmContracts } from '../../simnode/ledger/evm/evm-world.ts'

describe('USD coin of the simulated EVM', function () {
  this.timeout(600_000)

  it('has the code of its source', async function () {
    const compiler = SolidityCompiler.find({ timeLimitMs: 600_000 })
    if (compiler === undefined) return this.skip()
    const content = readFileSync(new URL('../../simnode/ledger/evm/contracts/stable-coin.sol', import.meta.url), 'utf8')
    const { contracts } = await compiler.compile(
      {
        sources: { 'stable-coin.sol': { content } },
        settings: { optimizer: { enabled: true, runs: 200 } },
      },
      new AbortController().signal,
    )
    const compiled = contracts['stable-coin.sol']?.['StableCoin']?.evm
    const coin = evmContracts.stableCoin
    expect(codeOf(coin.toString('hex')).toString('hex')).to.equal(compiled?.deployedBytecode.object)
    const creation = { object: compiled?.bytecode.object ?? '', open: [] }
    expect(constructorArguments(creationInputOf(coin).toString('hex'), creation)).to.match(/^0{62}40/)
  })
})
