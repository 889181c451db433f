import type { RequestListener } from 'node:http'
import { constants } from 'node:zlib'
import Koa from 'koa'
import compress from 'koa-compress'
import { isClientDisconnect } from '../platform/http/connections.ts'
import type { Embeds } from './embeds/embeds.ts'
import type { Logger } from '../platform/log.ts'
import { contentPolicy, securityHeaders, servePage } from '../platform/pages/serve-page.ts'
import type { Pages } from '../platform/pages/serve-page.ts'

/** The page renders "not found" for others. */
export const pageRoots: ReadonlySet<string> = new Set([
  '',
  'blocks',
  'block',
  'transactions',
  'transaction',
  'accounts',
  'account',
  'tokens',
  'token',
  'nfts',
  'nft',
  'contracts',
  'contract',
  'evm',
  'nodes',
  'node',
  'charts',
  'search',
  'scheduled',
  'key',
  'transfers',
  'events',
  'script',
  'pairs',
  'pair',
  'tax-report',
  'indexing',
  'tables',
  'docs',
])

export interface ExplorerPageOptions {
  readonly ipfsGateways?: readonly string[]
  /** Default: no link previews. */
  readonly embeds?: Embeds | undefined
}

/**
 * Routing happens in the page. Images of NFTs and tokens may load from any HTTPS host; scripts,
 * styles and data only from this server.
 */
export function createExplorerPage(
  pages: Pages,
  log: Logger,
  { ipfsGateways = [], embeds }: ExplorerPageOptions = {},
): RequestListener {
  const app = new Koa()
  app.on('error', (error: unknown) =>
    log[isClientDisconnect(error) ? 'debug' : 'error']({ err: error }, 'Could not send the explorer page'),
  )
  app.use(securityHeaders())
  // Assets are few and cached, so strong compression pays off.
  app.use(compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } } }))
  app.use(async (context) => {
    const isFile = context.path.startsWith('/assets/')
    if (!isFile && (await embeds?.answer(context)) === true) return
    await servePage(context, pages, isFile ? context.path.slice(1) : '', (html) =>
      contentPolicy({ html, arePicturesFree: true }),
    )
    if (isFile || typeof context.body !== 'string' || context.status !== 200) return
    const [, root = ''] = context.path.split('/', 2)
    if (!pageRoots.has(root)) context.status = 404
    const html = insertGateways(context.body, ipfsGateways)
    context.body = embeds === undefined ? html : await embeds.complete(context, html)
  })
  const handle = app.callback()
  return (request, response) => void handle(request, response)
}

/** The page needs them before its first API response. */
function insertGateways(html: string, gateways: readonly string[]): string {
  // `URL` escapes quotation marks and angle brackets.
  const content = gateways.map((address) => new URL(address).href).join(' ')
  return gateways.length === 0
    ? html
    : html.replace('</head>', () => `<meta name="ipfs-gateways" content="${content}">\n</head>`)
}
