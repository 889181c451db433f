import { expect } from 'chai'
import { importsOf, importsOfJsx } from './support/imports.ts'
import { filesBelow, readRepositoryFile } from './support/repository.ts'
import { moduleOf, modules } from './support/modules.ts'
import {
  cycles,
  foldersThatImportEachOther,
  forbiddenArrows,
  type ImportGraph,
  readGraph,
  unusedArrows,
} from './support/source-graph.ts'

const files = filesBelow(
  ['src', 'jobs', 'scripts', 'simnode', 'dashboards', 'clients', 'examples', 'test'],
  /\.(ts|tsx|mjs)$/,
)
const graph = readGraph(new Map(files.map((file) => [file, readRepositoryFile(file)])))

describe('module boundaries', () => {
  it('permit only the imports in the table', () => {
    expect(forbiddenArrows(graph)).to.deep.equal([])
  })

  it('have no unused permission in the table', () => {
    expect(unusedArrows(graph, modules)).to.deep.equal([])
  })

  it('exclude folders that import each other', () => {
    expect(foldersThatImportEachOther(graph)).to.deep.equal([])
  })

  it('exclude import cycles of files', () => {
    expect(cycles(graph).map((files) => files.join(' → '))).to.deep.equal([])
  })

  it('have no cycle in the table', () => {
    const outgoing = new Map(
      modules.map(({ paths: [own = ''], mayImport }) => {
        const allowed = mayImport === 'everything' ? [] : mayImport
        const targets = allowed.map((folder) => moduleOf(folder)?.paths[0] ?? folder)
        const up = '../'.repeat(own.split('/').length)
        return [`${own}/x.ts`, targets.map((target) => ({ specifier: `${up}${target}/x.ts`, kind: 'value' as const }))]
      }),
    )
    expect(cycles(outgoing)).to.deep.equal([])
  })

  it('match the table in the architecture page', () => {
    const cells = [...readRepositoryFile('docs/architecture.md').matchAll(/^\| (`.+`) \| .+ \| (.*) \|$/gm)]
    const reported = cells.map((match) => ({ paths: match[1], mayImport: match[2] }))
    const short = (folder: string): string => folder.replace(/^src\//, '')
    const real = modules.map(({ paths, mayImport }) => ({
      paths: paths.map((path) => (path.endsWith('.ts') ? `\`${path}\`` : `\`${path}/\``)).join(', '),
      mayImport: mayImport === 'everything' ? 'everything' : mayImport.map(short).join(', ') || 'nothing',
    }))
    expect(reported).to.deep.equal(real)
  })

  it('restrict the setup to Node built-ins', () => {
    const setup = [...graph].filter(([file]) => /^scripts\/setup(\.mjs|\/)/.test(file) && !file.endsWith('.test.ts'))
    const others = setup.flatMap(([file, imports]) =>
      imports
        .filter(({ specifier }) => !/^node:|^\.\/(setup\/)?[\w-]+\.mjs$/.test(specifier))
        .map(({ specifier }) => `${file}: ${specifier}`),
    )
    expect(setup).to.not.be.empty
    expect(others).to.deep.equal([])
  })
})

describe('module boundary check', () => {
  const graphOf = (sources: Record<string, string>): ImportGraph => readGraph(new Map(Object.entries(sources)))
  const check = (sources: Record<string, string>): string[] => forbiddenArrows(graphOf(sources))

  it('reports a forbidden import in any form', () => {
    for (const source of [
      `import { a } from '../ingest/a.ts'`,
      `import type { A } from '../ingest/a.ts'`,
      `import {\n  a,\n  type B,\n} from '../ingest/a.ts'`,
      `import '../ingest/a.ts'`,
      `export { a } from '../ingest/a.ts'`,
      `export * as a from '../ingest/a.ts'`,
      `export type { A } from '../ingest/a.ts'`,
      `const a = await import('../ingest/a.ts')`,
      `let a: import('../ingest/a.ts').A`,
      `new Worker(new URL('../ingest/a.ts', import.meta.url))`,
    ]) {
      expect(check({ 'src/explorer/b.ts': source }), source).to.deep.equal([
        'src/explorer/b.ts may not import src/ingest/a.ts',
      ])
    }
  })

  it('accepts imports that the table allows', () => {
    expect(
      check({ 'src/explorer/b.ts': `import { a } from '../platform/db/a.ts'\nimport { c } from './c.ts'` }),
    ).to.deep.equal([])
    expect(check({ 'src/main.ts': `import { a } from './farm/a.ts'` })).to.deep.equal([])
  })

  it('accepts part of a module if the table names it', () => {
    expect(check({ 'src/explorer/a.ts': `import { a } from '../../jobs/worker-names.ts'` })).to.deep.equal([])
    expect(check({ 'src/explorer/a.ts': `import { a } from '../../jobs/index.ts'` })).to.have.length(1)
  })

  it('rejects tests in the program, and I/O in pure modules', () => {
    expect(check({ 'src/main.ts': `import { a } from '../test/support/a.ts'` })).to.have.length(1)
    expect(check({ 'src/main.ts': `import { a } from './db/a.test-support.ts'` })).to.have.length(1)
    expect(check({ 'src/platform/db/a.test.ts': `import { a } from '../../../test/support/a.ts'` })).to.deep.equal([])
    expect(check({ 'jobs/a.ts': `import { readFileSync } from 'node:fs'` })).to.have.length(1)
    expect(check({ 'src/platform/db/a.ts': `import { readFileSync } from 'node:fs'` })).to.deep.equal([])
  })

  it('reports a file outside all modules', () => {
    expect(check({ 'src/somewhere/a.ts': '' })).to.deep.equal(['src/somewhere/a.ts is in no module'])
  })

  it('reports an unused permission', () => {
    const table = modules.filter(({ paths }) => paths.includes('src/operator'))
    const found = unusedArrows(graphOf({ 'src/operator/a.ts': `import { a } from '../farm/b.ts'` }), table)
    expect(found).to.deep.equal(['src/operator may import src/platform, and never does'])
  })

  it('reports folders that import each other, also by types, except for a folder and its subfolder', () => {
    const graph = graphOf({
      'src/farm/leases/a.ts': `import type { B } from '../queue/b.ts'`,
      'src/farm/queue/c.ts': `import { d } from '../leases/d.ts'\nimport { e } from '../e.ts'`,
      'src/farm/e.ts': `import { c } from './queue/c.ts'`,
    })
    expect(foldersThatImportEachOther(graph)).to.deep.equal(['src/farm/leases and src/farm/queue import each other'])
  })

  it('reports a cycle of values, but not of types', () => {
    const cycle = {
      'src/platform/db/a.ts': `import { b } from './b.ts'`,
      'src/platform/db/b.ts': `export * from './a.ts'`,
    }
    expect(cycles(graphOf(cycle))).to.deep.equal([
      ['src/platform/db/a.ts', 'src/platform/db/b.ts', 'src/platform/db/a.ts'],
    ])
    const types = { ...cycle, 'src/platform/db/b.ts': `import type { A } from './a.ts'` }
    expect(cycles(graphOf(types))).to.deep.equal([])
  })
})

describe('import parser', () => {
  it('ignores comments, strings, templates and regular expressions', () => {
    const source = [
      `// import a from './comment.ts'`,
      `/* import a from './block.ts' */`,
      `const s = "import a from './string.ts'"`,
      'const t = `\nimport "Cadence"\n${f({ a: `import b from "./nested.ts"` })}\nimport c from "./template.ts"`',
      `const r = /['"\`]import d from '.\\/regexp.ts'/g.test(s) ? 1 / 2 : x / y`,
      `const m = import.meta.url, n = a.import('./method.ts')`,
      `export type From = { from: 'type' }`,
      `export const from = 'from'`,
      `import real from './real.ts'`,
    ].join('\n')
    expect(importsOf(source)).to.deep.equal([{ specifier: './real.ts', kind: 'value' }])
  })

  it('parses a page with JSX', () => {
    const source = [
      `import { A } from './a.tsx'`,
      `import type { B } from './b.ts'`,
      `import './c.css'`,
      `const d = <p>don't import e from f</p>`,
    ].join('\n')
    expect(importsOfJsx(source)).to.deep.equal([
      { specifier: './a.tsx', kind: 'value' },
      { specifier: './b.ts', kind: 'type' },
      { specifier: './c.css', kind: 'value' },
    ])
  })
})
