/** Where links of an answer may lead. */
export interface LinkPlaces {
  /** The origin of the page itself: `https://chat.example`. */
  readonly origin: string
  /** Names of hosts, with a port where it is not that of HTTPS; each stands for itself and not for those below it. */
  readonly hosts: readonly string[]
  /** Origin of the explorer, which may be one without HTTPS. */
  readonly explorerOrigin?: string | undefined
}

/** Signs that a browser drops from an address, takes for a slash, or that people do not see. */
const deceiving = /[\p{C}\p{Z}\\]/u

/**
 * Whether an answer may have a link to an address. What a model writes may have been put into its mouth by a stranger's token name or web
 * page: an address off the list is shown as text, so that nobody sends anything there by a click. All that is not understood is no link.
 */
export function linkAllowed(href: string, { origin, hosts, explorerOrigin }: LinkPlaces): boolean {
  if (deceiving.test(href)) return false
  // A path of this page; two slashes would begin with another host.
  if (/^\/(?!\/)/.test(href)) return URL.canParse(href, origin) && new URL(href, origin).origin === origin
  if (!/^https?:\/\/[^/?#]/i.test(href) || !URL.canParse(href)) return false
  const url = new URL(href)
  if (url.username !== '' || url.password !== '' || /^[^/?#]*@/.test(href.slice(href.indexOf('//') + 2))) return false
  if (url.origin === origin || url.origin === explorerOrigin) return true
  return url.protocol === 'https:' && hosts.includes(url.host)
}
