import { dnsLookUp } from '../../../../platform/outbound/resolve-target.ts'
import type { LookUp } from '../../../../platform/outbound/resolve-target.ts'
import { targetPolicy } from '../../../../platform/outbound/target-policy.ts'
import type { TargetPolicy } from '../../../../platform/outbound/target-policy.ts'

/** How hosts are reached. No variable changes it: another one than the public internet is made by tests, in code. */
export interface OutboundNetwork {
  readonly policy: TargetPolicy
  readonly lookUp: LookUp
  /** Where https listens. */
  readonly port: number
  /** Certificates to trust in place of the system's, as PEM. */
  readonly ca: string | undefined
}

/** Public addresses by DNS, on port 443, with certificates that the system trusts. */
export function publicInternet(): OutboundNetwork {
  return { policy: targetPolicy([]), lookUp: dnsLookUp(), port: 443, ca: undefined }
}
