/** The token of an `Authorization` header of the scheme `Bearer` (RFC 6750); undefined where it has none, or says something else. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1]
}
