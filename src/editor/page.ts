import type { Middleware } from 'koa'
import type { EditorSettings } from './editor-server.ts'
import { contentPolicy, securityHeaders, servePage } from '../platform/pages/serve-page.ts'
import type { Pages } from '../platform/pages/serve-page.ts'

/** Paths of the editor's page: the page itself knows what each shows. */
const pagePath = /^\/(?:p\/[a-z0-9-]{1,80}|developer\/callback)?$/

/**
 * The page of the editor and its files below `/assets`. The code that it shows was written by strangers, so it may
 * have nothing from elsewhere but what it asks.
 * @param settings read for each request, since ports and networks may be known later
 */
export function createEditorPage(
  pages: Pages,
  settings: () => Pick<EditorSettings, 'lsp_url' | 'networks' | 'wallet'>,
): Middleware {
  const setHeaders = securityHeaders()
  return async (context, next) => {
    const isFile = context.path.startsWith('/assets/')
    if ((!isFile && !pagePath.test(context.path)) || !['GET', 'HEAD'].includes(context.method)) {
      await next()
      return
    }
    context.state['route'] = isFile ? '/assets' : context.path.startsWith('/p/') ? '/p/{slug}' : '/'
    await setHeaders(context, () =>
      servePage(context, pages, isFile ? context.path.slice(1) : '', (html) =>
        editorPolicy(html, calledBy(settings())),
      ),
    )
  }
}

/** What the page calls besides its own origin: the language server channel, access nodes, and the wallet. */
function calledBy({
  lsp_url: channel,
  networks,
  wallet,
}: Pick<EditorSettings, 'lsp_url' | 'networks' | 'wallet'>): readonly string[] {
  const signIn = wallet === null ? [] : [wallet.gotrue_url, wallet.token_url]
  return [channel, ...networks.map(({ api_url: url }) => url), ...signIn]
}

/** The policy of all pages, with these origins added to what may be called. @throws TypeError for what is no URL */
export function editorPolicy(html: string, connects: readonly string[]): string {
  const origins = [...new Set(connects.map(originOf))]
  return (
    contentPolicy({ html })
      .replace("connect-src 'self'", ["connect-src 'self'", ...origins].join(' '))
      // libsodium, which seals keys of deployments, is WebAssembly.
      .replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
  )
}

/** An origin as policies name it; of WebSockets too, which have none in the sense of URLs. */
function originOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
