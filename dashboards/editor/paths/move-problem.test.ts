import { expect } from 'chai'
import { moveProblem } from './move-problem.ts'

const project = {
  files: new Map([
    ['lib/a.cdc', ''],
    ['scripts/b.cdc', ''],
  ]),
  folders: ['empty', 'lib'],
}

describe('moving files and folders', () => {
  it('goes wherever nothing is, also into the folder itself or to another case', () => {
    for (const to of ['library', 'LIB', 'lib/deep', 'empty/lib'])
      expect(moveProblem(project, 'lib', to), to).to.equal(undefined)
    expect(moveProblem(project, 'lib/a.cdc', 'empty/a.cdc')).to.equal(undefined)
  })

  it('does not go where a file or a folder is, be it empty', () => {
    expect(moveProblem(project, 'lib', 'Empty')).to.equal('empty is a folder already.')
    expect(moveProblem(project, 'lib', 'scripts')).to.equal('scripts is a folder already.')
    expect(moveProblem(project, 'lib', 'scripts/b.cdc')).to.include('is there already')
    expect(moveProblem(project, 'lib/a.cdc', 'lib')).to.equal('lib is a folder already.')
  })

  it('does not take along what then has a path that is too deep', () => {
    expect(moveProblem(project, 'lib', 'a/a/a/a/a/a/a/a/a/a')).to.equal(
      'lib/a.cdc cannot go along: Folders may be 10 deep.',
    )
  })
})
