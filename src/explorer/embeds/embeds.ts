import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { createHash } from 'node:crypto'
import type { Context as KoaContext } from 'koa'
import { sql } from 'slonik'
import { z } from 'zod'
import { escapeHtml } from '../../platform/http/not-found-page.ts'
import type { Logger } from '../../platform/log.ts'
import { asError, RetryableError } from '../../platform/errors.ts'
import { sharedRead } from '../paging/shared-read.ts'
import { ShortCache } from '../present-chain.ts'
import { badgeSvg, cardPage, missingCardPage, withPreview } from './cards.ts'
import { readSummary, summaryKinds } from './summaries.ts'
import type { Summary, SummarySource } from './summaries.ts'

type Context = Pick<KoaContext, 'body' | 'get' | 'path' | 'remove' | 'search' | 'set' | 'status' | 'type'>

export interface Embeds {
  /** Whether the path was answered. */
  readonly answer: (context: Context) => Promise<boolean>
  /** Adds the preview of the item to its page, and 404 if it does not exist. */
  readonly complete: (context: Context, html: string) => Promise<string>
}

const cacheMs = 10_000
const maxCacheBytes = 2_000_000
const maxReads = 8
/** A page does not wait longer for its preview. */
const maxWaitMs = 1000
const maxSitemapRows = 1000

/** Of lists, and while an item cannot be read. */
const general = {
  kind: 'explorer',
  title: 'Explorer',
  description: 'Blocks, transactions, accounts, tokens, NFTs and contracts of the Flow blockchain, live.',
} as const

type Found = Awaited<ReturnType<typeof readSummary>>

const bytesOf = (found: Found): number => JSON.stringify(found ?? null).length

export function createEmbeds(source: SummarySource, log: Logger): Embeds {
  const cache = new ShortCache({ maxAgeMs: cacheMs, maxFailureAgeMs: 0, maxBytes: maxCacheBytes })
  const read = (path: string): Promise<Found> => {
    if (cache.inFlight >= maxReads) throw new RetryableError('busy', `more than ${maxReads} previews are being read`)
    return readSummary(path, source)
  }
  /** `busy` when too many are being read, and when the database fails or is slow. */
  const find = async (path: string): Promise<Found | 'busy'> => {
    try {
      const found = cache.get(path, () => read(path), bytesOf)
      return await Promise.race([found, delay(maxWaitMs, 'busy' as const, { ref: false })])
    } catch (error) {
      log.debug({ err: asError(error), path }, 'Could not read the preview of a page')
      return 'busy'
    }
  }
  /** Undefined while the database fails. */
  const sitemapPaths = async (): Promise<readonly string[] | undefined> => {
    try {
      return await readSitemap(source.database)
    } catch (error) {
      log.debug({ err: asError(error) }, 'Could not read the sitemap')
      return undefined
    }
  }
  return {
    answer: async (context) => {
      const [, root = '', kind = '', rest = ''] = context.path.split('/')
      const image = images.get(context.path)
      if (image !== undefined) send(context, image.type, image.body, 86_400)
      else if (root === 'robots.txt') send(context, 'text/plain', robots(originOf(context)), 3600)
      else if (root === 'sitemap.xml') {
        const paths = await sitemapPaths()
        if (paths === undefined) sendBusy(context)
        else send(context, 'application/xml', sitemapXml(paths, originOf(context)), 600)
      } else if ((root === 'badge' || root === 'embed') && rest !== '') {
        const key = root === 'badge' ? rest.replace(/\.svg$/, '') : rest
        await sendEmbed(context, root, await find(`/${kind}/${key}${context.search}`), source)
      } else return false
      return true
    },
    complete: async (context, html) => {
      const found = await find(`${context.path}${context.search}`)
      if (found === 'unknown') context.status = 404
      const preview = typeof found === 'object' ? found : { ...general, path: context.path }
      return context.status === 200 ? withPreview(html, preview, originOf(context)) : html
    },
  }
}

async function sendEmbed(
  context: Context,
  root: 'badge' | 'embed',
  found: Found | 'busy',
  { network }: SummarySource,
): Promise<void> {
  if (found === 'busy') {
    sendBusy(context)
    return
  }
  const summary: Summary | undefined = typeof found === 'object' ? found : undefined
  if (root === 'badge') {
    const missing = { label: 'flowfarm', message: 'not found', tone: 'neutral' } as const
    send(context, 'image/svg+xml', badgeSvg(summary ?? missing), 60)
  } else {
    const html = summary === undefined ? missingCardPage() : cardPage(summary, originOf(context), network())
    const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(html) ?? []
    send(context, 'text/html', html, 60)
    context.remove('X-Frame-Options')
    context.set(
      'Content-Security-Policy',
      `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
        `base-uri 'none'; form-action 'none'; frame-ancestors *`,
    )
  }
  // Images with another status are not shown.
  if (summary === undefined && root === 'embed') context.status = 404
}

function sendBusy(context: Context): void {
  context.set('Retry-After', '1')
  context.status = 503
  context.body = 'Temporarily unavailable. Try again in 1 s.\n'
}

/** Other sites may show it. */
function send(context: Context, type: string, body: string | Buffer, maxAgeSeconds: number): void {
  context.set({
    'Cache-Control': `public, max-age=${maxAgeSeconds}`,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  })
  context.status = 200
  context.body = body
  context.type = type
}

const hostForm = /^[\w.-]{1,253}(?::\d{1,5})?$|^\[[\da-f:]{2,39}\](?::\d{1,5})?$/i

/** As the client sees it; only in its own response. */
function originOf(context: Context): string {
  const host = context.get('Host')
  const protocol = context.get('X-Forwarded-Proto') === 'https' ? 'https' : 'http'
  return `${protocol}://${hostForm.test(host) ? host : 'localhost'}`
}

function robots(origin: string): string {
  const paths = [
    '/flow/',
    '/status',
    '/insights/',
    '/staking/',
    '/defi/',
    '/admin/',
    '/webhooks/',
    '/search',
    '/embed/',
  ]
  return `User-agent: *\n${paths.map((path) => `Disallow: ${path}\n`).join('')}Sitemap: ${origin}/sitemap.xml\n`
}

const listPaths = [
  '/',
  '/blocks',
  '/transactions',
  '/accounts',
  '/tokens',
  '/nfts',
  '/contracts',
  '/evm',
  '/evm/gas',
  '/nodes',
  '/charts',
  '/scheduled',
  '/transfers',
  '/events',
  '/pairs',
  '/indexing',
  '/tables',
  '/docs',
]

const pathRow = z.object({ path: z.string() })

/** Lists, and the tokens and collections with the most holders. */
const readSitemap = sharedRead(async (database): Promise<readonly string[]> => {
  const rows = await database.any(sql.type(pathRow)`
    (select '/token/' || token as path from app.ft_token_holders order by holder_count desc, token
      limit ${maxSitemapRows})
    union all
    (select '/nft/' || token from app.nft_collection_stats order by holder_count desc, token limit ${maxSitemapRows})
    union all
    (select '/tables/' || substr(name, 5) from app.own_workers where replaces is null
      order by name limit ${maxSitemapRows})
  `)
  return [...listPaths, ...rows.map(({ path }) => path)]
})

function sitemapXml(paths: readonly string[], origin: string): string {
  const urls = paths.map((path) => `<url><loc>${escapeHtml(origin + encodeURI(path))}</loc></url>`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.join('\n')}
</urlset>
`
}

const folder = new URL('images/', import.meta.url)

/** By path. */
const images: ReadonlyMap<string, { readonly body: Buffer; readonly type: string }> = new Map(
  [
    ...[...summaryKinds, 'explorer'].map((name) => [`/preview/${name}.png`, `preview-${name}.png`] as const),
    ['/apple-touch-icon.png', 'apple-touch-icon.png'] as const,
    ['/favicon.ico', 'favicon.ico'] as const,
  ].map(([path, file]) => [
    path,
    { body: readFileSync(new URL(file, folder)), type: file.endsWith('.ico') ? 'image/x-icon' : 'image/png' },
  ]),
)
