import { expect } from 'chai'
import { compiler, formatter, linter, pageCompiler, runTool, spellCheck } from '../scripts/check/tools.ts'
import { repositoryRoot } from './support/repository.ts'

describe('source files', function () {
  // No timeout, because the compiler and the linter may take minutes.
  this.timeout(0)

  it('are formatted', async () => {
    const { ok, output } = await runTool(repositoryRoot, formatter)
    expect(ok, output).to.equal(true)
  })

  it('pass the compiler', async () => {
    const { ok, output } = await runTool(repositoryRoot, compiler)
    expect(ok, output).to.equal(true)
  })

  it('pass the page compiler', async () => {
    const { ok, output } = await runTool(repositoryRoot, pageCompiler)
    expect(ok, output).to.equal(true)
  })

  it('pass the spelling check', async () => {
    const { ok, output } = await runTool(repositoryRoot, spellCheck)
    expect(ok, output).to.equal(true)
  })

  it('pass the linter', async () => {
    const { ok, output } = await runTool(repositoryRoot, linter)
    expect(ok, output).to.equal(true)
  })
})
