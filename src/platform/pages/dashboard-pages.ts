import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { asError } from '../errors.ts'
import { escapeHtml } from '../http/not-found-page.ts'
import type { Logger } from '../log.ts'
import type { Applications } from './applications.ts'
import type { PageName } from './build-dashboards.ts'
import { createPageBuild } from './page-build.ts'
import type { BuildProgress, PageBuild } from './page-build.ts'

export interface PageFile {
  readonly body: Buffer
  /** Media type, with the charset of text. */
  readonly type: string
  /** The path contains a content hash. */
  readonly isImmutable: boolean
}

export interface DashboardPages {
  /**
   * '' is the page. Waits for a running build. `undefined` if there is no such file or the last
   * build failed.
   */
  file(path: string): Promise<PageFile | undefined>
  /** Undefined once the page can be served. */
  readonly progress: BuildProgress | undefined
  /** Also stops it for other pages that share it. */
  stop(): void
}

export interface DashboardPagesOptions {
  readonly page: PageName
  readonly log: Logger
  readonly build?: PageBuild
  /** For the header of the page. */
  readonly applications?: () => Applications
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
 * Serves from memory, so the build may be replaced meanwhile. After a failure each request looks
 * for a build created elsewhere.
 */
export function createDashboardPages({
  page,
  log,
  build = createPageBuild({ log }),
  applications,
}: DashboardPagesOptions): DashboardPages {
  let files: Files | undefined
  let loading: Promise<void> | undefined
  const load = async (folder: string): Promise<void> => {
    files = await readFiles(join(folder, page))
  }
  const first = build
    .folder()
    .then(load)
    .catch((error: unknown) => {
      if (!build.isStopped)
        log.error({ err: asError(error), page }, 'Could not read the built page: the next request retries')
    })
  const loadNewest = async (): Promise<void> => {
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
        // Shared between requests: it reads all sources.
        if (files === undefined) await (loading ??= loadNewest().finally(() => (loading = undefined)))
      }
      const file = files?.get(path === '' ? 'index.html' : path)
      return path !== '' || file === undefined || applications === undefined
        ? file
        : { ...file, body: withApplications(file.body, applications()) }
    },
    get progress() {
      return files === undefined ? build.progress : undefined
    },
    stop: () => build.stop(),
  }
}

function withApplications(html: Buffer, applications: Applications): Buffer {
  const meta = `<meta name="applications" content="${escapeHtml(JSON.stringify(applications))}">`
  return Buffer.from(html.toString('utf8').replace('</head>', () => `${meta}\n</head>`))
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
