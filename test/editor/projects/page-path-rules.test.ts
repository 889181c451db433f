import { expect } from 'chai'
import fc from 'fast-check'
import { pathProblem as pageProblem } from '../../../dashboards/editor/project/path-problem.ts'
import { forkName as pageForkName, nameProblem } from '../../../dashboards/editor/project/project-state.ts'
import { pathProblem as repositoryProblem } from '../../../src/editor/github/api/names.ts'
import { forkName } from '../../../src/editor/projects/write-projects.ts'
import { projectName } from '../../../src/editor/projects/project-requests.ts'
import { checkPath, ProjectTree } from '../../../src/editor/projects/project-paths.ts'
import { hostileTexts } from '../../support/hostile-texts.ts'

const names = [
  '.git',
  '.GIT',
  'git~1',
  'GIT~12',
  '.git ',
  '.g\u0131t',
  '.github',
  'con',
  'CON.txt',
  'con .txt',
  'COM¹',
  'conin$',
  'Aux',
  'lpt0.cdc',
  'com10',
  'deps',
  'Imports',
  'ｉmports',
  '_',
  '.',
  '..',
  '．．',
  '…',
  'a／b',
  'a＼b',
  'a：b',
  'a:b',
  ' a',
  'a ',
  'a.',
  'e\u0301',
  '\u0301a',
  'a\u202eb',
  'a\u200bb',
  '\u3164',
  'a\u0378',
  '\ud800',
  'ﬁ',
  'ſ',
  'ß',
  'SS',
  'Σ',
  'ς',
  'K',
  'x'.repeat(200),
  'é'.repeat(101),
  'ﷺ'.repeat(60),
]
const segment = fc.oneof(
  fc.constantFrom(...names),
  fc.constantFrom('a', 'A', 'b', 'é', 'É'),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
  fc.string({ maxLength: 6 }),
)
const anyPath = fc.oneof(
  fc.array(segment, { minLength: 1, maxLength: 12 }).map((segments) => segments.join('/')),
  fc.constantFrom(...hostileTexts),
)
const fewPaths = fc.array(
  fc
    .array(fc.constantFrom('a', 'A', 'ß', 'SS', 'ſ', 's', 'Σ', 'ς', 'ﬁ', 'FI'), { minLength: 1, maxLength: 3 })
    .map((segments) => segments.join('/')),
  { maxLength: 4 },
)

describe('project names', () => {
  it('have the same rules in the editor page, also for copies', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 120 }),
      fc.constantFrom(...hostileTexts),
      fc.constantFrom('\u200d\u0301', 'a\u202eb', '😀'.repeat(50), `${'x'.repeat(91)}😀😀`),
    )
    fc.assert(
      fc.property(text, (given) => {
        const name = given.trim()
        const isTaken = projectName.safeParse(name).success
        expect(nameProblem(name) === undefined, JSON.stringify(name)).to.equal(isTaken)
        if (!isTaken) return
        expect(pageForkName(name)).to.equal(forkName(name))
        expect(projectName.safeParse(pageForkName(name)).success).to.equal(true)
      }),
      { numRuns: 3000 },
    )
  })
})

describe('project paths', () => {
  it('have the same rules in the editor page, so saves never fail on a name', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        expect(
          pageProblem(path) === undefined,
          `${JSON.stringify(path)}: ${pageProblem(path) ?? checkPath(path)?.rule ?? ''}`,
        ).to.equal(checkPath(path) === undefined)
      }),
      { numRuns: 5000 },
    )
  })

  it('have the same conflict rules in the page', () => {
    fc.assert(
      fc.property(fewPaths, fewPaths, fewPaths, (files, folders, given) => {
        const tree = new ProjectTree()
        const kept = files.filter((path) => tree.addFile(path) === undefined)
        const addedFolders = folders.filter((path) => tree.addFolder(path) === undefined)
        for (const path of given) {
          if (kept.includes(path)) continue
          const copy = new ProjectTree()
          for (const file of kept) copy.keepFile(file)
          for (const folder of addedFolders) copy.keepFolder(folder)
          expect(
            pageProblem(path, kept, addedFolders) === undefined,
            `${path} beside ${kept.join(' ')} and ${addedFolders.join(' ')}`,
          ).to.equal(copy.addFile(path) === undefined)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('are valid repository paths', () => {
    fc.assert(
      fc.property(anyPath, (path) => {
        if (checkPath(path) === undefined) expect(repositoryProblem(path), JSON.stringify(path)).to.equal(undefined)
      }),
      { numRuns: 5000 },
    )
  })
})
