import type { RequestListener } from 'node:http'
import { constants } from 'node:zlib'
import Koa from 'koa'
import compress from 'koa-compress'
import { isClientDisconnect } from '../platform/http/connections.ts'
import type { Logger } from '../platform/log.ts'
import { contentPolicy, securityHeaders, servePage } from '../platform/pages/serve-page.ts'
import type { Pages } from '../platform/pages/serve-page.ts'

/** First segments of the page's own paths; the page itself says that there is nothing at others. */
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
  'numbers',
  'search',
  'scheduled',
])

export interface ExplorerPageOptions {
  /** Addresses to which the content id of a picture is appended. Default: what the page has built in. */
  readonly ipfsGateways?: readonly string[]
}

/**
 * The explorer page: its files below `/assets`, and the page for every other path, since the page itself knows which of
 * its parts a path is. Pictures of NFTs and tokens are anywhere, so they may be had from any host by HTTPS; scripts,
 * styles and data come from here alone.
 */
export function createExplorerPage(
  pages: Pages,
  log: Logger,
  { ipfsGateways = [] }: ExplorerPageOptions = {},
): RequestListener {
  const app = new Koa()
  app.on('error', (error: unknown) =>
    log[isClientDisconnect(error) ? 'debug' : 'error']({ err: error }, 'the explorer page could not be sent'),
  )
  app.use(securityHeaders())
  // The files are few and kept by browsers for ever: it is worth the time to make them small.
  app.use(compress({ threshold: 1024, br: { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } } }))
  app.use(async (context) => {
    const isFile = context.path.startsWith('/assets/')
    await servePage(context, pages, isFile ? context.path.slice(1) : '', (html) =>
      contentPolicy({ html, arePicturesFree: true }),
    )
    if (!isFile && typeof context.body === 'string') context.body = tellGateways(context.body, ipfsGateways)
    const [, root = ''] = context.path.split('/', 2)
    if (!isFile && context.status === 200 && !pageRoots.has(root)) context.status = 404
  })
  const handle = app.callback()
  // What `handle` throws became an answer inside.
  return (request, response) => void handle(request, response)
}

/** The page reads them where its HTML has them: it needs them before any answer of the API. */
function tellGateways(html: string, gateways: readonly string[]): string {
  // As `URL` writes them they hold no quotation marks and no angle brackets.
  const content = gateways.map((address) => new URL(address).href).join(' ')
  return gateways.length === 0
    ? html
    : html.replace('</head>', () => `<meta name="ipfs-gateways" content="${content}">\n</head>`)
}
