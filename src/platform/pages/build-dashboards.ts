import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { storeBuild, sourceDigest } from './build-folder.ts'

interface PageEntry {
  readonly base: string
  readonly title: string
  /** Undefined: the page is not indexed by search engines and has its own icon. */
  readonly description?: string
  readonly noscript?: string
  /** Default: `assets`. The proxy serves the files of two pages. */
  readonly files?: string
  /** The page extends below notches and adapts to the on-screen keyboard. */
  readonly fillsScreen?: boolean
}

/** By folder in `dashboards/`. */
const pages = {
  operator: {
    base: '/operator/',
    title: 'flowfarm operator',
    noscript: 'Use the command line instead: npm run farm -- status.',
  },
  explorer: {
    base: '/',
    title: 'flowfarm explorer',
    description: 'Blocks, transactions, accounts, tokens, NFTs and contracts of the Flow blockchain, live.',
    noscript:
      'The same data without JavaScript: <a href="/flow/block">blocks</a>, <a href="/openapi.yaml">all routes</a>.',
  },
  ask: {
    base: '/',
    title: 'flowfarm: ask the chain',
    description: 'Ask questions about the Flow blockchain in plain language or SQL.',
    noscript: 'The API without JavaScript: <a href="/openapi.yaml">OpenAPI document</a>.',
    files: 'assets/ask',
  },
  chat: {
    base: '/',
    title: 'flowfarm: chat',
    description: 'Chat about the Flow blockchain: answers from indexed data, with SQL and charts.',
    fillsScreen: true,
  },
  wallet: {
    base: '/',
    title: 'flowfarm: wallet',
    description: 'A wallet for Flow with passkeys.',
    fillsScreen: true,
  },
  editor: {
    base: '/',
    title: 'flowfarm: editor',
    description: 'A Cadence editor for Flow: write, check and run code, save and share projects.',
    fillsScreen: true,
  },
} as const satisfies Readonly<Record<string, PageEntry>>

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 18 18' fill='%232f9e55'%3E" +
  "%3Crect x='1' y='2' width='16' height='3.4' rx='1.7'/%3E%3Crect x='1' y='7.3' width='16' height='3.4' rx='1.7'/%3E" +
  "%3Crect x='1' y='12.6' width='9' height='3.4' rx='1.7'/%3E%3C/svg%3E"

function pageHtml(template: string, name: PageName): string {
  const { title, description, noscript, fillsScreen = false }: PageEntry = pages[name]
  const viewport = 'width=device-width, initial-scale=1'
  const values: Readonly<Record<string, string>> = {
    page: name,
    title,
    viewport: fillsScreen ? `${viewport}, viewport-fit=cover, interactive-widget=resizes-content` : viewport,
    about:
      description === undefined ? 'name="robots" content="noindex"' : `name="description" content="${description}"`,
    icon: description === undefined ? 'data:,' : icon,
    noscript: noscript === undefined ? '' : ` ${noscript}`,
  }
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? '')
}

export type PageName = keyof typeof pages

export const pageNames = Object.keys(pages) as PageName[]

/** Returns the folder of the build. @throws errors of Vite and of the file system */
export async function buildDashboards(root: string, onBuilt: (page: PageName, built: number) => void): Promise<string> {
  const digest = await sourceDigest(root)
  if (digest === undefined) throw new Error(`${root} does not contain the page sources.`)
  return storeBuild(root, digest, async (folder) => {
    for (const [i, name] of pageNames.entries()) {
      await buildPage(root, name, join(folder, name))
      onBuilt(name, i + 1)
    }
  })
}

/**
 * Delays the first paint until the theme is applied. Vite drops the attribute if it is in the
 * source.
 */
function paintOnce(html: string): string {
  return html.replace('<script type="module"', '<script type="module" blocking="render"')
}

/**
 * Reports scripts or style sheets that cannot be loaded; reloads when the server responds. Allowed
 * by hash in the policies (`contentPolicy`).
 */
const bootScript = `(function () {
  var isShown = false
  addEventListener('error', function (event) {
    var part = event.target
    var isPart = part instanceof HTMLScriptElement || (part instanceof HTMLLinkElement && part.rel === 'stylesheet')
    if (!isPart || isShown || document.readyState === 'complete') return
    isShown = true
    var pause = 2000
    var box = document.createElement('div')
    box.setAttribute('role', 'alert')
    box.style.cssText = 'font: 15px/1.6 system-ui, sans-serif; max-width: 34rem; margin: 20vh auto; padding: 0 1rem'
    var title = document.createElement('h1')
    title.textContent = 'This page could not be loaded'
    var text = document.createElement('p')
    text.textContent = 'The server did not respond. Retrying automatically.'
    var button = document.createElement('button')
    button.textContent = 'Retry now'
    button.onclick = function () { location.reload() }
    box.append(title, text, button)
    document.body.prepend(box)
    function retry() {
      fetch(part.src || part.href, { method: 'HEAD', cache: 'no-store' }).then(function (response) {
        if (response.ok) location.reload()
        else if (response.status === 404) text.textContent = 'The page was updated on the server. Reload it.'
        else again()
      }, again)
    }
    function again() {
      pause = Math.min(pause * 2, 15000)
      setTimeout(retry, pause)
    }
    setTimeout(retry, pause)
    addEventListener('online', retry)
  }, true)
})()`

function withBootScript(html: string): string {
  return html.replace('<head>', () => `<head>\n<script>${bootScript}</script>`)
}

async function buildPage(root: string, name: PageName, outDir: string): Promise<void> {
  const { files = 'assets' }: PageEntry = pages[name]
  await build({
    configFile: false,
    envDir: false,
    root: join(root, 'dashboards'),
    base: pages[name].base,
    cacheDir: join(outDir, '.cache'),
    logLevel: 'warn',
    plugins: [
      react(),
      { name: 'page-html', transformIndexHtml: { order: 'pre', handler: (html) => pageHtml(html, name) } },
      { name: 'paint-once', transformIndexHtml: { order: 'post', handler: (html) => withBootScript(paintOnce(html)) } },
    ],
    build: {
      outDir,
      assetsDir: files,
      emptyOutDir: false,
      // Supported for two years or more: light-dark(), `:has` and nesting.
      target: ['chrome123', 'firefox121', 'safari17.5'],
      modulePreload: { polyfill: false },
      // The operator page may be opened over a poor network.
      assetsInlineLimit: 4096,
      reportCompressedSize: false,
    },
  })
}
