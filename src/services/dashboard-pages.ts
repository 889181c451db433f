import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { asError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import type { PageName } from './dashboards/build-dashboards.ts'
import { createPageBuild } from './dashboards/page-build.ts'
import type { PageBuild } from './dashboards/page-build.ts'

/** A file of a page as it goes over the wire. */
export interface PageFile {
  readonly body: Buffer
  /** The media type, with its character set where it has one. */
  readonly type: string
  /** Whether the path names the content, so that a browser may keep the file for ever. */
  readonly isImmutable: boolean
}

export interface DashboardPages {
  /**
   * The file of a path below the page's own, e.g. `index.html` or `assets/index-1a2b.js`; the empty path is the page.
   * Waits for a build that is under way. `undefined` when there is no such file; while there is no build the page itself says why.
   */
  file(path: string): Promise<PageFile | undefined>
  /** Ends a build that is under way, for all pages that are taken from it. */
  stop(): void
}

export interface DashboardPagesOptions {
  readonly page: PageName
  readonly log: Logger
  /** What other pages of the process are taken from too. Default: one of its own. */
  readonly build?: PageBuild
}

type Files = ReadonlyMap<string, PageFile>

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
}
const remedy = 'Run `npm run build` and look at what it says.'

/**
 * The built files of a page. Looks for a build of the sources as they are now and, where there is none, has one made.
 * Files are kept in memory: nobody has to care whether the build is replaced meanwhile.
 *
 *     looking ──found──► served
 *        └──none──► building ──made──► served
 *                      └──failed, logged once──► absent ──somebody made it──► served
 */
export function createDashboardPages({
  page,
  log,
  build = createPageBuild({ log }),
}: DashboardPagesOptions): DashboardPages {
  /** What somebody built since the failure. */
  const lookAgain = async (): Promise<Files | undefined> => {
    const folder = await build.newest()
    return folder === undefined ? undefined : readFiles(join(folder, page))
  }
  let files: Files | undefined
  const first = build.folder().then((folder) => readFiles(join(folder, page))).then(
    (built) => {
      files = built
    },
    (error: unknown) => {
      if (!build.isStopped) log.error({ err: asError(error), page, remedy }, 'the pages could not be built; all else goes on')
    },
  )
  return {
    async file(path) {
      await first
      files ??= await lookAgain()
      const name = path === '' ? 'index.html' : path
      return files === undefined && name === 'index.html' ? unbuiltPage() : files?.get(name)
    },
    stop: () => build.stop(),
  }
}

async function readFiles(folder: string): Promise<Files> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.map(async (path): Promise<[string, PageFile]> => {
      const name = relative(folder, path).split(sep).join('/')
      const type = types[extname(path)] ?? 'application/octet-stream'
      return [name, { body: await readFile(path), type, isImmutable: name.startsWith('assets/') }]
    }),
  )
  return new Map(files)
}

/** What is shown in place of a page that could not be built. */
function unbuiltPage(): PageFile {
  const body = Buffer.from(`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>flowfarm: not built</title>
<style>:root { color-scheme: light dark } body { font: 15px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto; padding: 0 1rem }</style>
<h1>This page is not built</h1>
<p>Everything else is running. Run <code>npm run build</code> in the folder of flowfarm, then load this page again. The log says why the build failed.</p>
</html>
`)
  return { body, type: 'text/html; charset=utf-8', isImmutable: false }
}
