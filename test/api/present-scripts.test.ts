import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { CadenceParser } from '@onflow/cadence-parser'
import { expect } from 'chai'
import { loadPresentScripts, presentScriptNames, presentScriptsFolder } from '../../src/api/chain/present-scripts.ts'

describe('the scripts that the API runs', () => {
  it('are the files that are there, and Cadence that imports nothing', async () => {
    expect(readdirSync(presentScriptsFolder).toSorted()).to.deep.equal(presentScriptNames.map((name) => `${name}.cdc`).toSorted())
    const wasm = createRequire(import.meta.url).resolve('@onflow/cadence-parser').replace(/cjs\/index\.js$/, 'cadence-parser.wasm')
    const parser = await CadenceParser.create(readFileSync(wasm))
    const script = loadPresentScripts()
    for (const name of presentScriptNames) {
      const source = script(name)
      expect((parser.parse(source) as { error?: unknown }).error, name).to.equal(undefined)
      expect(source, name).to.match(/access\(all\) fun main\(address: Address/).and.not.match(/^\s*import /m)
    }
    expect((parser.parse(`${script('public_paths')}}`) as { error?: unknown }).error).to.not.equal(undefined)
  })
})
