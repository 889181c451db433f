import { expect } from 'chai'
import { compiler, formatter, linter, pageCompiler, runTool } from '../scripts/check/tools.ts'
import { repositoryRoot } from './support/repository.ts'

describe('the sources', function () {
  // The compiler and the linter take as long as they take.
  this.timeout(0)

  it('are formatted', async () => {
    const { ok, output } = await runTool(repositoryRoot, formatter)
    expect(ok, output).to.equal(true)
  })

  it('pass the compiler', async () => {
    const { ok, output } = await runTool(repositoryRoot, compiler)
    expect(ok, output).to.equal(true)
  })

  it('pass the compiler as pages', async () => {
    const { ok, output } = await runTool(repositoryRoot, pageCompiler)
    expect(ok, output).to.equal(true)
  })

  it('pass the linter', async () => {
    const { ok, output } = await runTool(repositoryRoot, linter)
    expect(ok, output).to.equal(true)
  })
})
