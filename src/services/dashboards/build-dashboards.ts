import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { keepBuild } from './build-folder.ts'
import { sourceDigest } from './source-digest.ts'

/** Each page by its folder in `dashboards/`, and the path at which its service serves it. */
const pages = { operator: '/operator/', explorer: '/', ask: '/', chat: '/', wallet: '/', editor: '/' } as const

/** A page that is built: the folder of its name in the build. */
export type PageName = keyof typeof pages

export const pageNames = Object.keys(pages) as PageName[]

/**
 * Builds all pages from their sources, one folder for each page, and keeps the build for whoever serves them.
 * @returns the folder of the build
 * @throws what Vite says about a source, and what the system says when nothing can be written
 */
export async function buildDashboards(root: string): Promise<string> {
  return keepBuild(root, await sourceDigest(root), async (folder) => {
    for (const name of pageNames) await buildPage(root, name, join(folder, name))
  })
}

/**
 * Has the browser wait for the script before it paints for the first time: the script knows the theme that the person
 * chose, and the other one shall not flash up. Vite drops the attribute when it is in the source.
 */
function paintOnce(html: string): string {
  return html.replace('<script type="module"', '<script type="module" blocking="render"')
}

async function buildPage(root: string, name: PageName, outDir: string): Promise<void> {
  await build({
    configFile: false,
    envDir: false,
    root: join(root, 'dashboards', name),
    base: pages[name],
    cacheDir: join(outDir, '.cache'),
    logLevel: 'warn',
    plugins: [react(), { name: 'paint-once', transformIndexHtml: { order: 'post', handler: paintOnce } }],
    build: {
      outDir,
      emptyOutDir: false,
      // Light and dark are written with light-dark(), `:has` and nesting: two years old and older.
      target: ['chrome123', 'firefox121', 'safari17.5'],
      modulePreload: { polyfill: false },
      // A page of an operator is opened where the network may be poor: what it needs is in few files.
      assetsInlineLimit: 4096,
      reportCompressedSize: false,
    },
  })
}
