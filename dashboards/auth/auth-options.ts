/** How a page signs people in. */
export interface AuthOptions {
  /** Base URL of the auth endpoint: GoTrue's, or one that speaks as it does. */
  readonly gotrueUrl: string
  /** URL of the passkey-auth function. */
  readonly passkeyAuthUrl: string
  /** Relying party of the passkeys: a domain, without protocol. */
  readonly rpId: string
  /** Name that browsers show when a passkey is made. */
  readonly rpName: string
  /**
   * Domain of the cookie for sessions over several hosts of one site. The cookie itself is set by the service at `sessionUrl`, whose setting has to say
   * the same. Pages of hosts that are not at or below it take no part in the session. Default: whatever that service has set.
   */
  readonly cookieDomain?: string | undefined
  /** Where the cookie is kept: see the service's `/session`. Default: `/session` here. */
  readonly sessionUrl?: string | undefined
  /** Looks now and then, and when the tab is looked at, whether the session was ended elsewhere. Tabs of one host tell each other in any case. Default: true. */
  readonly enableLogoutDetection?: boolean | undefined
  /** Reads roles and teams from the session: from app_metadata alone, which users cannot change. Default: true. */
  readonly enableRoles?: boolean | undefined
  /** Path or URL to which sign-in with others and links in e-mails come back. Default: /developer/callback. */
  readonly callbackPath?: string | undefined
}

export type FullAuthOptions = {
  readonly [Name in Exclude<keyof AuthOptions, 'cookieDomain'>]-?: NonNullable<AuthOptions[Name]>
} & Pick<AuthOptions, 'cookieDomain'>

export function fullOptions(options: AuthOptions): FullAuthOptions {
  const {
    sessionUrl = '/session',
    enableLogoutDetection = true,
    enableRoles = true,
    callbackPath = '/developer/callback',
  } = options
  return {
    ...options,
    sessionUrl,
    enableLogoutDetection,
    enableRoles,
    callbackPath,
    gotrueUrl: options.gotrueUrl.replace(/\/$/, ''),
  }
}

/** The address to come back to. */
export function callbackUrl({ callbackPath }: Pick<FullAuthOptions, 'callbackPath'>, origin: string): string {
  return new URL(callbackPath, origin).href
}
