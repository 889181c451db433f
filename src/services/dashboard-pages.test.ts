import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { pino } from 'pino'
import { createDashboardPages } from './dashboard-pages.ts'
import type { DashboardPages } from './dashboard-pages.ts'
import { findBuild, keepBuild } from './dashboards/build-folder.ts'
import { createPageBuild } from './dashboards/page-build.ts'
import { sourceDigest } from './dashboards/source-digest.ts'

const repository = resolve(import.meta.dirname, '../..')

describe('the built pages', function () {
  this.timeout(60_000)
  let root: string
  let lines: string[] = []
  const opened: DashboardPages[] = []

  /** A checkout with small pages. */
  beforeEach(async () => {
    lines = []
    root = await mkdtemp(join(tmpdir(), 'flowfarm-pages-'))
    for (const path of ['src/services/dashboards', 'clients/signing', 'scripts/build.ts', 'package.json', 'package-lock.json']) {
      await cp(join(repository, path), join(root, path), { recursive: true })
    }
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
    await mkdir(join(root, 'dashboards/operator'), { recursive: true })
    await writeFile(
      join(root, 'dashboards/operator/index.html'),
      '<!doctype html><title>A page</title><script type="module" src="./main.ts"></script>',
    )
    await writeSource('document.title += " of a test"')
    for (const name of ['explorer', 'ask', 'chat', 'wallet', 'editor']) {
      await mkdir(join(root, 'dashboards', name))
      await writeFile(join(root, 'dashboards', name, 'index.html'), '<!doctype html><title>Another page</title>')
    }
  })

  afterEach(async () => {
    for (const pages of opened.splice(0)) pages.stop()
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })

  const writeSource = (source: string): Promise<void> => writeFile(join(root, 'dashboards/operator/main.ts'), source)
  const log = pino(
    { level: 'info' },
    new Writable({
      write: (chunk: Buffer, _, done) => {
        lines.push(chunk.toString())
        done()
      },
    }),
  )
  const open = (): DashboardPages => {
    const pages = createDashboardPages({ page: 'operator', log, build: createPageBuild({ log, root }) })
    opened.push(pages)
    return pages
  }
  const textOf = async (pages: DashboardPages, path: string): Promise<string | undefined> =>
    (await pages.file(path))?.body.toString()
  const scriptOf = async (pages: DashboardPages): Promise<string> =>
    /\/operator\/(assets\/[^"]+\.js)/.exec((await textOf(pages, '')) ?? '')?.[1] ?? ''

  it('are built when there are none, by one of many at a time, and not again', async () => {
    const both = [open(), open()]
    for (const pages of both) {
      expect(await pages.file('')).to.include({ type: 'text/html; charset=utf-8', isImmutable: false })
      const script = await scriptOf(pages)
      expect(await pages.file(script)).to.include({ type: 'text/javascript; charset=utf-8', isImmutable: true })
      expect(await textOf(pages, script)).to.include('of a test')
      expect(await pages.file('assets/../../index.html')).to.equal(undefined)
    }
    expect(await readdir(join(root, 'dist/dashboards'))).to.deep.equal([await sourceDigest(root)])
    lines = []
    expect(await textOf(open(), '')).to.include('A page')
    expect(lines).to.deep.equal([])
  })

  it('are built once for all pages of a process', async () => {
    const build = createPageBuild({ log, root })
    const pages = (['operator', 'explorer', 'ask', 'chat', 'wallet'] as const).map((page) => createDashboardPages({ page, log, build }))
    opened.push(...pages)
    expect(await Promise.all(pages.map((one) => textOf(one, '')))).to.satisfy((texts: string[]) => (
      texts.every((text, i) => text.includes(i === 0 ? 'A page' : 'Another page'))
    ))
    expect(lines.filter((line) => line.includes('are being built'))).to.have.length(1)
  })

  it('are built anew when a source has changed, and the old build goes', async () => {
    const old = open()
    const before = await scriptOf(old)
    await writeSource('document.title += " that changed"')
    const pages = open()
    expect(await textOf(pages, await scriptOf(pages))).to.include('that changed')
    expect(await readdir(join(root, 'dist/dashboards'))).to.deep.equal([await sourceDigest(root)])
    expect(await textOf(old, before), 'who has the old one goes on with it').to.include('of a test')
  })

  it('say once why they could not be built, and are served as soon as somebody mended that', async () => {
    await writeSource('import "./nothing-here.ts"')
    const pages = open()
    expect(await textOf(pages, '')).to.include('npm run build')
    expect(await pages.file('assets/x.js')).to.equal(undefined)
    const errors = lines.filter((line) => line.includes('could not be built'))
    expect(errors).to.have.length(1)
    expect(errors[0]).to.include('nothing-here').and.to.include('npm run build')
    await keepBuild(root, await sourceDigest(root), async (folder) => {
      await mkdir(join(folder, 'operator'))
      await writeFile(join(folder, 'operator/index.html'), 'mended')
    })
    expect(await textOf(pages, '')).to.equal('mended')
  })

  it('are kept in a folder of this user where the checkout cannot be written', async () => {
    await writeFile(join(root, 'dist'), 'not a folder')
    const digest = await sourceDigest(root)
    const folder = await keepBuild(root, digest, (begun) => writeFile(join(begun, 'index.html'), 'elsewhere'))
    try {
      expect(folder.startsWith(root)).to.equal(false)
      expect(await findBuild(root, digest)).to.equal(folder)
    } finally {
      await rm(dirname(folder), { recursive: true })
    }
  })
})
