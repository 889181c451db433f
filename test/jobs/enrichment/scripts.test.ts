import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { scriptNames } from '../../../jobs/enrichment/enrichment-worker.ts'
import { networks } from '../../../src/flow/network.ts'
import { fillImports, loadScripts, scriptsFolder } from '../../../src/farm/enrichment/service.ts'
import { cadenceParser } from '../../support/cadence-parser.ts'
import type { ParsedCadence } from '../../support/cadence-parser.ts'

describe('the scripts of the enrichment workers', () => {
  let parse: (code: string) => ParsedCadence

  before(async () => {
    parse = await cadenceParser()
  })

  it('are the files that are there', () => {
    expect(readdirSync(scriptsFolder).toSorted()).to.deep.equal(scriptNames.map((name) => `${name}.cdc`).toSorted())
  })

  it('are Cadence, as they are kept and as each network is given them', async () => {
    expect(parse('access(all) fun main(): Int { return }}').error?.Errors).to.not.equal(undefined)
    for (const name of scriptNames) {
      const kept = readFileSync(join(scriptsFolder, `${name}.cdc`), 'utf8')
      expect(parse(kept).error, name).to.equal(undefined)
      for (const network of networks) {
        const filled = (await loadScripts(network))(name)
        expect(filled, name).to.not.match(/^import "/m)
        expect(filled.match(/^import \w+ from 0x[0-9a-f]{16}$/gm)?.length, name).to.equal(
          kept.match(/^import /gm)?.length,
        )
        expect(parse(filled).error, `${name} on ${network}`).to.equal(undefined)
      }
    }
  })

  it('have no import of a contract whose place is not known', () => {
    expect(() => fillImports('import "Nothing"\n', 'mainnet')).to.throw('Unknown contract Nothing on mainnet')
    expect(fillImports('import "FlowToken"\n', 'mainnet')).to.equal('import FlowToken from 0x1654653399040a61\n')
  })
})
