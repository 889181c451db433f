import type { Middleware } from 'koa'
import type { EditorSettings } from './editor-server.ts'
import { contentPolicy, securityHeaders, servePage } from '../platform/pages/serve-page.ts'
import type { Pages } from '../platform/pages/serve-page.ts'

const pagePath = /^\/(?:p\/[a-z0-9-]{1,80}|developer\/callback)?$/

/**
 * The page shows untrusted code, so it may load only the necessary. @param settings read for each
 * request: ports and networks may become known later
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
    await setHeaders(context, () => {
      // The page talks to wallet windows.
      context.set('Cross-Origin-Opener-Policy', 'same-origin-allow-popups')
      return servePage(context, pages, isFile ? context.path.slice(1) : '', (html) =>
        editorPolicy(html, calledBy(settings())),
      )
    })
  }
}

function calledBy({
  lsp_url: channel,
  networks,
  wallet,
}: Pick<EditorSettings, 'lsp_url' | 'networks' | 'wallet'>): readonly string[] {
  const signIn = wallet === null ? [] : [wallet.gotrue_url, wallet.token_url]
  return [channel, ...networks.map(({ api_url: url }) => url), ...signIn]
}

/** @throws TypeError for an invalid URL */
export function editorPolicy(html: string, connects: readonly string[]): string {
  const origins = [...new Set(connects.map(originOf))]
  return (
    contentPolicy({ html })
      .replace("connect-src 'self'", ["connect-src 'self'", ...origins].join(' '))
      // libsodium, which seals deployment keys, is WebAssembly.
      .replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'")
  )
}

/** `URL.origin` of WebSockets is `null`. */
function originOf(url: string): string {
  const { protocol, host } = new URL(url)
  return `${protocol}//${host}`
}
