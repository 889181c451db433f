import type { Config } from '../config.ts'
import { editorUrl } from './editor-origin.ts'

/**
 * Whether pages of an origin may use the language server channel. There is nothing secret in it, but pages of others would have the browsers of their visitors
 * load it, each from an address of its own; or reach one on the visitor's machine. What is no browser names no origin, and is bounded by its address.
 * @param host header `Host` of the request: without EDITOR_URL, pages of the host that the channel is reached by may use it, whichever name that is
 */
export function mayUseChannel(
  config: Pick<Config, 'EDITOR_URL' | 'HTTP_PORT'>,
  origin: string | undefined,
  host: string | undefined,
): boolean {
  if (origin === undefined) return true
  if (config.EDITOR_URL !== undefined) return origin === new URL(editorUrl(config)).origin
  const [page, channel] = [origin, `http://${host ?? ''}`].map((text) =>
    URL.canParse(text) ? new URL(text).hostname : undefined,
  )
  return page !== undefined && page !== '' && page === channel
}

/** Names by which the channel may be called: those that operators have set. */
export function channelNames({
  HOST: host,
  EDITOR_URL: page,
  LSP_URL: channel,
}: Pick<Config, 'HOST' | 'EDITOR_URL' | 'LSP_URL'>): readonly string[] {
  return [host, ...[page, channel].filter((url) => url !== undefined).map((url) => new URL(url).hostname)]
}
