import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { asError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { PageName } from './build-dashboards.ts'
import { createPageBuild } from './page-build.ts'
import type { BuildProgress, PageBuild } from './page-build.ts'

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
   * Waits for a build that is under way. `undefined` if there is no such file, or if the last build failed.
   */
  file(path: string): Promise<PageFile | undefined>
  /** How far the build is. Undefined once the page can be served. */
  readonly progress: BuildProgress | undefined
  /** Ends a build that is under way, for all pages that are taken from it. */
  stop(): void
}

export interface DashboardPagesOptions {
  readonly page: PageName
  readonly log: Logger
  /** The build that all pages of the process share. Default: one of its own. */
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

/**
 * The built files of a page, from a build of the current sources (`PageBuild`). They are kept in memory, so the build
 * may be replaced meanwhile. After a failed attempt each request looks for a build that was made elsewhere.
 */
export function createDashboardPages({
  page,
  log,
  build = createPageBuild({ log }),
}: DashboardPagesOptions): DashboardPages {
  let files: Files | undefined
  let looking: Promise<void> | undefined
  const load = async (folder: string): Promise<void> => {
    files = await readFiles(join(folder, page))
  }
  const first = build
    .folder()
    .then(load)
    .catch((error: unknown) => {
      if (!build.isStopped)
        log.error({ err: asError(error), page }, 'the built page could not be read; the next request tries again')
    })
  const look = async (): Promise<void> => {
    const folder = await build.newest()
    if (folder !== undefined) await load(folder)
  }
  let waiting: Promise<void> | undefined
  const isWaiting = (): boolean => files === undefined && build.progress.failure === undefined && !build.isStopped
  const failed = async (): Promise<void> => {
    while (isWaiting()) await build.changed()
  }
  return {
    async file(path) {
      if (files === undefined) {
        await Promise.race([first, (waiting ??= failed().finally(() => (waiting = undefined)))])
        // Shared: it reads all sources.
        if (files === undefined) await (looking ??= look().finally(() => (looking = undefined)))
      }
      return files?.get(path === '' ? 'index.html' : path)
    },
    get progress() {
      return files === undefined ? build.progress : undefined
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
