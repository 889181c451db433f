import { expect } from 'chai'
import { resolveImports } from './resolve-imports.ts'

const known = {
  core: { FlowToken: '0x0ae53cb6e3f42a79' },
  files: new Map([
    ['contracts/Counter.cdc', 'access(all) contract Counter {}'],
    ['notes.md', 'contract Notes'],
  ]),
  address: '0x01cf0e2f2f715450',
}

describe('imports by name', () => {
  it('get the address of the core contract, or of the account that the project deploys to', () => {
    const code = `import "FlowToken"
  import "Counter"
import "Unknown"
import "Notes"
import FlowToken from 0x01
transaction { execute { log("import") } }`
    expect(resolveImports(code, known)).to.equal(`import FlowToken from 0x0ae53cb6e3f42a79
  import Counter from 0x01cf0e2f2f715450
import "Unknown"
import "Notes"
import FlowToken from 0x01
transaction { execute { log("import") } }`)
  })

  it('of own contracts stay without an account, and names like those of objects are unknown', () => {
    const code = 'import "Counter"\nimport "constructor"\n'
    expect(resolveImports(code, { ...known, address: undefined })).to.equal(code)
  })
})
