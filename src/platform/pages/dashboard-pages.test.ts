import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Writable } from 'node:stream'
import { expect } from 'chai'
import { pino } from 'pino'
import { createDashboardPages } from './dashboard-pages.ts'
import type { DashboardPages } from './dashboard-pages.ts'
import { findBuild, storeBuild, sourceDigest } from './build-folder.ts'
import { createPageBuild } from './page-build.ts'

const quickly = { baseMs: 10, maxMs: 100 }

const repository = resolve(import.meta.dirname, '../../..')

describe('dashboard builds', () => {
  let root: string
  let lines: string[] = []
  const opened: DashboardPages[] = []

  /** A checkout with small pages. */
  beforeEach(async () => {
    lines = []
    root = await mkdtemp(join(tmpdir(), 'flowfarm-pages-'))
    for (const path of [
      'src/platform',
      'clients/signing',
      'scripts/build.ts',
      'scripts/cli',
      'package.json',
      'package-lock.json',
    ]) {
      await cp(join(repository, path), join(root, path), { recursive: true })
    }
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
    for (const name of ['operator', 'explorer', 'ask', 'chat', 'wallet', 'editor']) {
      await mkdir(join(root, 'dashboards', name), { recursive: true })
      await writeFile(join(root, 'dashboards', name, 'main.tsx'), `document.title += ' ${name}'`)
    }
    await writeFile(
      join(root, 'dashboards/index.html'),
      '<!doctype html><title>A page: {{page}}</title><script type="module" src="./{{page}}/main.tsx"></script>',
    )
    await writeSource('document.title += " of a test"')
  })

  afterEach(async () => {
    for (const pages of opened.splice(0)) pages.stop()
    await rm(root, { recursive: true, force: true, maxRetries: 5 })
  })

  const writeSource = (source: string): Promise<void> => writeFile(join(root, 'dashboards/operator/main.tsx'), source)
  const log = pino(
    { level: 'info' },
    new Writable({
      write: (chunk: Buffer, _, done) => {
        lines.push(chunk.toString())
        done()
      },
    }),
  )
  const digest = async (): Promise<string> => (await sourceDigest(root)) ?? ''
  const open = (build = createPageBuild({ log, root })): DashboardPages => {
    const pages = createDashboardPages({ page: 'operator', log, build })
    opened.push(pages)
    return pages
  }
  const textOf = async (pages: DashboardPages, path: string): Promise<string | undefined> =>
    (await pages.file(path))?.body.toString()
  const scriptOf = async (pages: DashboardPages): Promise<string> =>
    /\/operator\/(assets\/[^"]+\.js)/.exec((await textOf(pages, '')) ?? '')?.[1] ?? ''

  it('run if missing, in one process at a time, and only once', async () => {
    const both = [open(), open()]
    for (const pages of both) {
      expect(await pages.file('')).to.include({ type: 'text/html; charset=utf-8', isImmutable: false })
      const script = await scriptOf(pages)
      expect(await pages.file(script)).to.include({ type: 'text/javascript; charset=utf-8', isImmutable: true })
      expect(await textOf(pages, script)).to.include('of a test')
      expect(await pages.file('assets/../../index.html')).to.equal(undefined)
    }
    expect(await readdir(join(root, 'dist/dashboards'))).to.deep.equal([await digest()])
    lines = []
    expect(await textOf(open(), '')).to.include('A page')
    expect(lines).to.deep.equal([])
  })

  it('run once for all pages of a process', async () => {
    const build = createPageBuild({ log, root })
    const names = ['operator', 'explorer', 'ask', 'chat', 'wallet'] as const
    const pages = names.map((page) => createDashboardPages({ page, log, build }))
    opened.push(...pages)
    expect(await Promise.all(pages.map((one) => textOf(one, '')))).to.satisfy((texts: string[]) =>
      texts.every((text, i) => text.includes(`A page: ${names[i]}<`)),
    )
    expect(lines.filter((line) => line.includes('Building pages'))).to.have.length(1)
  })

  it('run after a source change, and replace the old build', async () => {
    const old = open()
    const before = await scriptOf(old)
    await writeSource('document.title += " that changed"')
    const pages = open()
    expect(await textOf(pages, await scriptOf(pages))).to.include('that changed')
    expect(await readdir(join(root, 'dist/dashboards'))).to.deep.equal([await digest()])
    expect(await textOf(old, before), 'clients of the old build keep it').to.include('of a test')
  })

  it('are retried after a failure, whose reason is logged once', async () => {
    await writeSource('import "./nothing-here.ts"')
    const build = createPageBuild({ log, root, retry: quickly })
    const pages = open(build)
    expect(await pages.file('')).to.equal(undefined)
    expect(pages.progress?.failure).to.include('nothing-here')
    expect(await pages.file('assets/x.js')).to.equal(undefined)
    const attempts = async (count: number): Promise<void> => {
      while (lines.filter((line) => line.includes('Building pages')).length < count) await build.changed()
    }
    await attempts(3)
    const errors = lines.filter((line) => line.includes('Could not build the pages'))
    expect(errors).to.have.length(1)
    expect(errors[0]).to.include('nothing-here').and.include('npm run build').and.not.include('chunks are larger')
    await writeSource('document.title += " of a test"')
    await build.folder()
    expect(await textOf(pages, await scriptOf(pages))).to.include('of a test')
    expect(pages.progress).to.equal(undefined)
  })

  it('are served after a failure once another process has built them', async () => {
    await writeSource('import "./nothing-here.ts"')
    const pages = open(createPageBuild({ log, root, retry: { baseMs: 3_600_000, maxMs: 3_600_000 } }))
    expect(await pages.file('')).to.equal(undefined)
    await storeBuild(root, await digest(), async (folder) => {
      await mkdir(join(folder, 'operator'))
      await writeFile(join(folder, 'operator/index.html'), 'repaired')
    })
    expect(await textOf(pages, '')).to.equal('repaired')
  })

  it('are retried after the build process was killed, with the signal as the reason', async () => {
    const script = join(root, 'scripts/build.ts')
    const original = await readFile(script, 'utf8')
    await writeFile(script, 'console.error("a warning"); process.kill(process.pid, "SIGKILL")')
    const build = createPageBuild({ log, root, retry: quickly })
    const pages = open(build)
    expect(await pages.file('')).to.equal(undefined)
    expect(pages.progress?.failure)
      .to.include('SIGKILL, sent by the system when memory is exhausted')
      .and.include('a warning')
    await writeFile(script, original)
    await build.folder()
    expect(await textOf(pages, '')).to.include('A page')
  })

  it('report each finished page and the elapsed time', async () => {
    const script = join(root, 'scripts/build.ts')
    const file = join(root, 'go-on')
    await writeFile(
      script,
      `import { existsSync, watch } from 'node:fs'
process.send({ page: 'operator', built: 1, total: 6 })
const goOn = () => existsSync(${JSON.stringify(file)}) && process.exit(1)
watch(${JSON.stringify(root)}, goOn)
goOn()`,
    )
    const build = createPageBuild({ log, root, retry: quickly })
    const pages = open(build)
    while (build.progress.built === 0) await build.changed()
    expect(pages.progress).to.include({ built: 1, total: 6, failure: undefined })
    expect(build.progress.seconds).to.be.at.least(0)
    const requested = pages.file('')
    await writeFile(file, '')
    expect(await requested).to.equal(undefined)
    expect(pages.progress?.failure).to.include('exit code 1')
  })

  it('are served from a finished build without Vite or sources', async () => {
    await storeBuild(root, await digest(), async (folder) => {
      await mkdir(join(folder, 'operator'))
      await writeFile(join(folder, 'operator/index.html'), 'shipped')
    })
    await rm(join(root, 'node_modules'))
    expect(await textOf(open(), '')).to.equal('shipped')
    for (const source of ['dashboards', 'package-lock.json', 'scripts'])
      await rm(join(root, source), { recursive: true })
    expect(await textOf(open(), '')).to.equal('shipped')
    expect(lines).to.deep.equal([])
    await rm(join(root, 'dist'), { recursive: true })
    const pages = open()
    expect(await pages.file('')).to.equal(undefined)
    expect(pages.progress?.failure).to.include('neither page sources nor a build')
  })

  it('stop when the program stops', async () => {
    const build = createPageBuild({ log, root })
    const pages = open(build)
    const requested = pages.file('')
    pages.stop()
    expect(await requested).to.equal(undefined)
    expect(await build.folder().catch((error: unknown) => String(error))).to.include('stopped before')
    expect(lines.filter((line) => line.includes('could not'))).to.deep.equal([])
  })

  it('use a folder of the user if the checkout is read-only', async () => {
    await writeFile(join(root, 'dist'), 'not a folder')
    const name = await digest()
    const folder = await storeBuild(root, name, (draft) => writeFile(join(draft, 'index.html'), 'elsewhere'))
    try {
      expect(folder.startsWith(root)).to.equal(false)
      expect(await findBuild(root, name)).to.equal(folder)
    } finally {
      await rm(dirname(folder), { recursive: true })
    }
  })
})
