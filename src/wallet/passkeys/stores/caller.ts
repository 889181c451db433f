/** Who calls the passkey function, as far as limits and the audit log go. */
export interface Caller {
  /** Address on the net; proxies are believed as far as TRUSTED_PROXIES says. */
  readonly address: string
  /** Of the page; undefined: it is no page of another origin. */
  readonly origin: string | undefined
  readonly userAgent: string | undefined
}
