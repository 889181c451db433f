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

  it('match the files', () => {
    expect(readdirSync(scriptsFolder).toSorted()).to.deep.equal(scriptNames.map((name) => `${name}.cdc`).toSorted())
  })

  it('are Cadence, as stored and with the addresses of each network', async () => {
    expect(parse('access(all) fun main(): Int { return }}').error?.Errors).to.not.equal(undefined)
    for (const name of scriptNames) {
      const source = readFileSync(join(scriptsFolder, `${name}.cdc`), 'utf8')
      expect(parse(source).error, name).to.equal(undefined)
      for (const network of networks) {
        const filled = (await loadScripts(network))(name)
        expect(filled, name).to.not.match(/^import "/m)
        expect(filled.match(/^import \w+ from 0x[0-9a-f]{16}$/gm)?.length, name).to.equal(
          source.match(/^import /gm)?.length,
        )
        expect(parse(filled).error, `${name} on ${network}`).to.equal(undefined)
      }
    }
  })

  it('reject imports of contracts that are unknown on the network', () => {
    expect(() => fillImports('import "Nothing"\n', 'mainnet')).to.throw('Unknown contract Nothing on mainnet')
    expect(fillImports('import "FlowToken"\n', 'mainnet')).to.equal('import FlowToken from 0x1654653399040a61\n')
  })
})
