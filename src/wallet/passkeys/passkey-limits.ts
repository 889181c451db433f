import type { RateLimit } from '../limits/rate-limits.ts'

/** How often each endpoint may be called. */
export interface EndpointLimits {
  /** By one address on the net, or one network of IPv6. */
  readonly client: RateLimit
  /** For one account, from wherever; of sign-ins also for one e-mail address, whether there is an account of it or not. */
  readonly account: RateLimit
}

export interface PasskeyLimits {
  /** Beginning to sign in: pages do so when they are opened, to offer passkeys where e-mail addresses are typed. */
  readonly begin: EndpointLimits
  /** What has to do with making passkeys and signing in by them. */
  readonly ceremony: EndpointLimits
  /** What people do with what they have. */
  readonly manage: EndpointLimits
}

const in5Minutes = (most: number): RateLimit => ({ most, periodMs: 5 * 60_000 })

/** For ceremonies that of GoTrue. */
export const passkeyLimits: PasskeyLimits = {
  begin: { client: in5Minutes(90), account: in5Minutes(30) },
  ceremony: { client: in5Minutes(30), account: in5Minutes(30) },
  manage: { client: in5Minutes(300), account: in5Minutes(150) },
}
