import { readdirSync } from 'node:fs'
import { expect } from 'chai'
import { loadPresentScripts, presentScriptNames, presentScriptsFolder } from '../../src/explorer/present-chain.ts'
import { inNetwork } from '../../src/flow/core-contracts.ts'
import { cadenceParser } from '../support/cadence-parser.ts'

describe('built-in scripts', () => {
  it('match the files, parse as Cadence, and import only core contracts', async () => {
    expect(readdirSync(presentScriptsFolder).toSorted()).to.deep.equal(
      presentScriptNames.map((name) => `${name}.cdc`).toSorted(),
    )
    const parse = await cadenceParser()
    const script = loadPresentScripts()
    for (const name of presentScriptNames) {
      const source = script(name)
      expect(parse(source).error, name).to.equal(undefined)
      expect(source, name).to.match(/access\(all\) fun main\((address: (Address|String)|accounts: \[Address\])/)
      expect(inNetwork(source, 'mainnet'), name).to.not.match(/^\s*import "/m)
    }
    expect(parse(`${script('public_paths')}}`).error).to.not.equal(undefined)
  })
})
