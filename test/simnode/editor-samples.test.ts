import { expect } from 'chai'
import { newProject } from '../../dashboards/editor/project/project-state.ts'
import { templates } from '../../dashboards/editor/project/templates.ts'
import { nameOfScript } from '../../clients/signing/transactions/known-transaction.ts'
import { resolveImports } from '../../dashboards/editor/run/resolve-imports.ts'
import { coreContractAddresses } from '../../src/flow/core-contracts.ts'
import { codeShape } from '../../dashboards/editor/run/script-kind.ts'
import { encodeJson } from '../../simnode/ledger/scripts/script-values.ts'
import type { CadenceJson } from '../../simnode/ledger/scripts/script-values.ts'
import { executeScript } from '../../simnode/ledger/scripts/execute-script.ts'
import { LedgerScriptState } from '../../simnode/ledger/scripts/script-state.ts'
import { sampleScripts } from '../../simnode/ledger/scripts/sample-scripts.ts'
import { ledgerChain } from '../../simnode/ledger/ledger-node.ts'

const chain = ledgerChain({ seed: 3 })

function given(source: string, args: readonly CadenceJson[]): unknown {
  return JSON.parse(
    executeScript(new LedgerScriptState(chain, 250), Buffer.from(source), args.map(encodeJson)).toString(),
  )
}

describe('editor sample files', () => {
  it('are scripts and transactions that a simulated node runs', () => {
    for (const { code, name } of templates) {
      const sample = sampleScripts.find((one) => one.code === code)
      const { kind, parameters } = codeShape(code)
      const core = coreContractAddresses('emulator')
      const resolved = resolveImports(code, { core, files: new Map(), address: undefined })
      if (kind === 'script') expect(sample, name).to.have.property('arguments').with.length(parameters.length)
      else if (kind === 'transaction') expect(nameOfScript(resolved, 'emulator'), name).to.equal('send-flow')
    }
    const { active, files } = newProject('emulator')
    const first = files.get(active ?? '') ?? ''
    expect(given(first, sampleScripts.find(({ code }) => code === first)?.arguments ?? [])).to.deep.equal({
      type: 'Int',
      value: '5',
    })
  })
})
