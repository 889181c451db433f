/** An account elsewhere by which somebody signs in. */
export interface IdentityRow {
  readonly id: string
  readonly provider: string
  readonly providerId: string
  readonly identityData: Readonly<Record<string, unknown>>
  /** ISO 8601, as all times of identities. */
  readonly lastSignInAt: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export interface UserRow {
  readonly id: string
  readonly email: string | null
  readonly emailConfirmedAt: Date | null
  readonly appMetadata: Readonly<Record<string, unknown>>
  readonly userMetadata: Readonly<Record<string, unknown>>
  readonly lastSignInAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  /** The oldest first. */
  readonly identities: readonly IdentityRow[]
}

/** Of a row `u` of wallet_auth.users. */
export const userColumns = `u.id, u.email, u.email_confirmed_at as "emailConfirmedAt", u.app_metadata as "appMetadata", u.user_metadata as "userMetadata",
  u.last_sign_in_at as "lastSignInAt", u.created_at as "createdAt", u.updated_at as "updatedAt",
  (select coalesce(json_agg(json_build_object('id', i.id, 'provider', i.provider, 'providerId', i.provider_id, 'identityData', i.identity_data,
     'lastSignInAt', i.last_sign_in_at, 'createdAt', i.created_at, 'updatedAt', i.updated_at) order by i.created_at, i.id), '[]')
   from wallet_auth.identities as i where i.user_id = u.id) as identities`

/** Whether a row `u` may sign in and be signed in. */
export const isWelcome = '(u.banned_until is null or u.banned_until <= now())'
