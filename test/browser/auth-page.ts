import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import type { Middleware } from 'koa'
import { build } from 'vite'

const entry = fileURLToPath(new URL('../../dashboards/wallet/auth-page.test-support.tsx', import.meta.url))

export interface AuthPage {
  /** Serves the page at all paths that the service does not handle. */
  readonly middleware: Middleware
  /** Options of the component for pages that open from now on. */
  options: object
}

/** A third-party page with the sign-in components. */
export async function buildAuthPage(): Promise<AuthPage> {
  const built = await build({
    configFile: false,
    envDir: false,
    logLevel: 'warn',
    plugins: [react()],
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, formats: ['es'], fileName: 'page' }, minify: false },
  })
  const [output] = Array.isArray(built) ? built : [built]
  const script =
    output !== undefined && 'output' in output
      ? output.output.flatMap((file) => (file.type === 'chunk' ? [file.code] : [])).join('\n')
      : ''
  const page: AuthPage = {
    options: {},
    middleware: async (context, next) => {
      if (context.method !== 'GET') {
        await next()
        return
      }
      context.state['route'] = '/'
      // Third-party pages set their own policy.
      context.remove('Content-Security-Policy')
      if (context.path === '/page.js') {
        context.type = 'text/javascript'
        context.body = script
        return
      }
      context.type = 'text/html'
      context.body = `<!doctype html><html lang="en"><title>Some page</title><div id="root"></div>
        <script type="application/json" id="options">${JSON.stringify(page.options).replaceAll('<', '\\u003c')}</script><script type="module" src="/page.js"></script>`
    },
  }
  return page
}
